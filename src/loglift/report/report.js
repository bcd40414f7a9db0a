(() => {
  "use strict";
  // Pointing at a mark of a chart shows the text that screen readers read.
  for (const mark of document.querySelectorAll(".chart svg.marks [role='graphics-symbol'][aria-label]")) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = mark.getAttribute("aria-label");
    mark.prepend(title);
  }
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data) return;
  const ROWS_PER_PAGE = 25;
  const MAX_MEMBERS = 200; // of a released value that are listed
  const MAX_NUMBERED_EVENTS = 8; // with more sensitive values, cells show a sign, not a number
  const MAX_WIDE_EVENTS = 4; // with more sensitive values, cells are narrower
  const at = (id) => document.getElementById(id);
  const whole = new Intl.NumberFormat("en-US").format;
  const numberOf = (count, what) => `${whole(count)} ${what}${count === 1 ? "" : "s"}`;

  /** Make an element; texts become text, never markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  /** Write a log-lift in nats, which Python rounded; null is minus infinity. */
  function nats(log) {
    return log === null ? "−∞" : log.toFixed(3).replace("-", "−");
  }

  /** Show rows a page at a time; `draw` draws the rows of one page, `what` names a row. */
  function pager(place, what, draw) {
    let rows = [];
    let first = 0;
    let missing = "";
    const back = make("button", { type: "button", onclick: () => turn(-ROWS_PER_PAGE) }, "Previous");
    const on = make("button", { type: "button", onclick: () => turn(ROWS_PER_PAGE) }, "Next");
    const told = make("span", { role: "status" });
    function turn(by) {
      first = Math.max(0, Math.min(first + by, Math.floor(Math.max(0, rows.length - 1) / ROWS_PER_PAGE) * ROWS_PER_PAGE));
      draw(rows.slice(first, first + ROWS_PER_PAGE));
      const last = Math.min(first + ROWS_PER_PAGE, rows.length);
      told.textContent = rows.length
        ? `${whole(first + 1)} to ${whole(last)} of ${numberOf(rows.length, what)}`
        : missing;
      back.disabled = first === 0;
      on.disabled = last >= rows.length;
      back.hidden = on.hidden = rows.length <= ROWS_PER_PAGE;
    }
    at(place).replaceChildren(back, on, told);
    return (found, elsewhere = false) => {
      missing = elsewhere
        ? "Not among the riskiest shown here: look in the table of all values"
        : `No ${what}s found`;
      rows = found;
      first = 0;
      turn(0);
    };
  }

  const values = data.partition.values.map(([texts, block, records, omega], index) => ({
    index, texts, block, records, omega,
    name: texts.join(" · "),
    text: [...texts, texts.join(" · ")].join("\n").toLowerCase(),
  }));

  /* ---- the heat map ---- */

  function heatMap(heat) {
    const table = at("heat");
    const many = heat.events.length > MAX_NUMBERED_EVENTS;
    const few = heat.events.length <= MAX_WIDE_EVENTS;
    let sides = heat.after ? ["before", "after"] : ["before"];
    table.classList.toggle("many", many);
    table.classList.toggle("few", few);
    const lines = heat.members.map((places, index) => ({
      index, members: places.map((place) => values[place]), records: heat.before.records[index],
    }));
    const grouped = lines.length < heat.members.flat().length;
    const show = pager("heat-pager", grouped ? "row" : "public value", drawRows);

    /** Name what a line stands for: its first value (or the one searched for), and how many more. */
    function named(line) {
      const more = line.members.length - 1;
      return more ? `${line.first.name} and ${whole(more)} more like it` : line.first.name;
    }

    /** Name what the values of a line are released as. */
    function releasedAs(line) {
      const found = new Set(line.members.map((value) => value.block));
      return found.size > 1 ? `${whole(found.size)} released values` : released(line.first.block);
    }

    function drawHead() {
      const top = make("tr", { class: "sides" }, make("td"));
      const names = make("tr", {}, make("td"));
      sides.forEach((side, i) => {
        if (i) {
          top.append(make("td", { class: "gap" }));
          names.append(few ? make("th", { scope: "col", class: "gap" }, "released as") : make("td", { class: "gap" }));
        }
        top.append(make("th", { scope: "colgroup", colspan: heat.events.length }, side));
        for (const [name, short] of heat.events) {
          names.append(make("th", { scope: "col", class: "event", title: name }, make("bdi", {}, short)));
        }
      });
      return make("thead", {}, ...(heat.after ? [top, names] : [names]));
    }

    /** Return the texts of a cell, for its label and for the tip. */
    function told(line, side, s) {
      const part = heat[side];
      const row = line.index;
      return {
        value: side === "before" ? named(line) : releasedAs(line),
        side, event: heat.events[s][0], log: nats(part.logs[row][s]),
        found: `${whole(part.counts[row][s])} of ${numberOf(part.records[row], "record")}`,
        short: `${whole(part.counts[row][s])} of ${whole(part.records[row])}`,
        table: `${whole(heat.events[s][2])} of ${whole(heat.records)} in the whole table`,
        mark: part.marks[row][s],
      };
    }

    /** Return + or − for a cell that is too small for its number: colour alone is not enough. */
    function sign(mark) {
      if (".zZ".includes(mark)) return "";
      return mark === mark.toUpperCase() ? "+" : "−";
    }

    const said = new WeakMap(); // the texts of each cell

    function cell(line, side, s) {
      const words = told(line, side, s);
      const box = document.createElement("td");
      box.className = `cell m-${words.mark === "." ? "none" : words.mark}`;
      box.tabIndex = -1;
      box.setAttribute("aria-label", `${words.value}, ${side}: ${words.event}, log-lift ${words.log}, ${words.found}; ${words.table}`);
      box.append(make("span", {}, many ? sign(words.mark) : words.log));
      if (few) box.append(make("small", {}, words.short));
      said.set(box, words);
      return box;
    }

    for (const [kind, act] of [["pointerover", tipOf], ["focusin", tipOf], ["pointerleave", hide], ["focusout", hide]]) {
      table.addEventListener(kind, act);
    }
    function tipOf(event) {
      const words = said.get(event.target.closest("td.cell"));
      if (words) tip(event.target.closest("td.cell"), words);
      else hide();
    }

    /** Return the head of a line; one that stands for several values lists them. */
    function headOf(line) {
      const head = make("th", { scope: "row", title: line.first.name },
        make("bdi", { class: "name" }, line.first.name));
      if (line.members.length > 1) {
        head.className = "several";
        head.append(...unfolding(`and ${whole(line.members.length - 1)} more like it`, line.members));
      }
      head.append(make("small", {}, numberOf(line.records, "record")));
      return head;
    }

    function drawRows(rows) {
      table.classList.toggle("one", sides.length === 1);
      const body = make("tbody");
      for (const line of rows) {
        const drawn = make("tr", {}, headOf(line));
        sides.forEach((side, i) => {
          if (i) drawn.append(make("td", { class: "gap" }, few ? make("bdi", { class: "name" }, releasedAs(line)) : ""));
          heat.events.forEach((_, s) => drawn.append(cell(line, side, s)));
        });
        body.append(drawn);
      }
      table.replaceChildren(drawHead(), body);
      const first = table.querySelector("td.cell");
      if (first) first.tabIndex = 0;
      hide();
    }

    table.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const step = steps[event.key];
      const here = event.target.closest("td.cell");
      if (!step || !here) return;
      const drawn = [...table.tBodies[0].rows];
      const cells = (line) => [...line.querySelectorAll("td.cell")];
      const down = drawn.indexOf(here.parentElement) + step[0];
      const along = cells(here.parentElement).indexOf(here) + step[1];
      const next = drawn[down] && cells(drawn[down])[along];
      event.preventDefault();
      if (!next) return;
      here.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });

    function search() {
      const side = at("heat-side").value;
      if (heat.after) sides = side === "both" ? ["before", "after"] : [side];
      const wanted = at("heat-search").value.trim().toLowerCase();
      const matches = (value) => value.text.includes(wanted);
      for (const line of lines) line.first = line.members.find(matches);
      const found = lines.filter((line) => line.first);
      const order = at("heat-order").value;
      if (order === "records") found.sort((a, b) => b.records - a.records);
      if (order === "name") found.sort((a, b) => a.first.name.localeCompare(b.first.name, "en", { numeric: true }));
      show(found, found.length === 0 && values.some(matches));
    }
    at("heat-tools").hidden = false;
    at("heat-tools").addEventListener("submit", (event) => event.preventDefault());
    at("heat-search").addEventListener("input", search);
    at("heat-order").addEventListener("change", search);
    at("heat-side").addEventListener("change", search);
    at("heat-side").parentElement.hidden = !heat.after;
    search();
  }

  function tip(box, words) {
    const place = at("tip");
    place.replaceChildren(
      make("b", {}, make("bdi", {}, words.value)),
      make("span", {}, `${words.side}: `, make("bdi", {}, words.event)),
      make("span", {}, `log-lift ${words.log} nats`),
      make("span", {}, words.found),
      make("span", {}, words.table),
    );
    place.hidden = false;
    pointedAt = box;
    beside(place, box);
  }

  function beside(place, box) {
    const by = box.getBoundingClientRect();
    const own = place.getBoundingClientRect();
    const left = Math.min(Math.max(8, by.left + by.width / 2 - own.width / 2), innerWidth - own.width - 8);
    const above = by.top - own.height - 8;
    place.style.left = `${left}px`;
    place.style.top = `${above >= 8 ? above : Math.min(by.bottom + 8, innerHeight - own.height - 8)}px`;
  }

  let pointedAt = null;

  function hide() {
    at("tip").hidden = true;
    pointedAt = null;
  }

  /* ---- the partition ---- */

  const blocks = data.partition.blocks.map(([texts, size, records, leakage, moves], index) => ({
    index, texts, size, records, leakage, moves, members: [],
    text: texts.join("\n").toLowerCase(),
  }));
  for (const value of values) if (value.block !== null) blocks[value.block].members.push(value);

  function released(block) {
    return blocks[block].texts.join(" · ");
  }

  const size = (number) => (number === "∞" ? Infinity : Number(number));

  /** Return the columns of the table: name, content of a cell, and sort key. */
  function columns(ofBlocks) {
    const all = ofBlocks
      ? [
          { name: "released value", shows: shows, key: (row) => row.texts.join(" "), wide: true },
          { name: "public values", shows: membersOf, key: (row) => row.size, down: true },
          { name: "records", shows: (row) => whole(row.records), key: (row) => row.records, number: true, down: true },
          { name: "leakage (nats)", shows: (row) => row.leakage, key: (row) => size(row.leakage), number: true, down: true },
          { name: "moves most", shows: (row) => make("bdi", {}, row.moves), key: (row) => row.moves },
        ]
      : [
          { name: "public value", shows: shows, key: (row) => row.name, wide: true },
          { name: "records", shows: (row) => whole(row.records), key: (row) => row.records, number: true, down: true },
          { name: "omega (nats)", shows: (row) => row.omega, key: (row) => size(row.omega), number: true, down: true },
        ];
    const told = ofBlocks && blocks[0].records === null ? all.slice(0, 2) : all;
    return told;
  }

  function shows(row) {
    const names = blocks.length ? data.partition.released : data.partition.public;
    return make("div", { class: "shows" }, ...row.texts.map((text, i) =>
      make("div", {}, names.length > 1 ? make("span", { class: "column" }, names[i]) : null, make("bdi", {}, text))));
  }

  function membersOf(block) {
    if (block.size === 1) return "1";
    return make("div", {}, ...unfolding(`${whole(block.size)} merged`, block.members));
  }

  /** Return a button that shows and hides a list of public values, and that list. */
  function unfolding(text, members) {
    const list = make("ul", { class: "members", hidden: true, tabindex: "0", "aria-label": "Public values" });
    const open = make("button", {
      type: "button", class: "link", "aria-expanded": "false",
      onclick: () => {
        if (!list.childElementCount) list.append(...listed(members));
        list.hidden = !list.hidden;
        open.setAttribute("aria-expanded", String(!list.hidden));
      },
    }, text);
    return [open, list];
  }

  function listed(members) {
    const lines = members.slice(0, MAX_MEMBERS).map((value) => make("li", {},
      make("bdi", {}, value.name),
      value.records === null ? null : make("small", {}, ` ${numberOf(value.records, "record")}, omega ${value.omega}`)));
    const more = members.length - lines.length;
    if (more > 0) lines.push(make("li", {}, `and ${whole(more)} more, in the CSV`));
    return lines;
  }

  function partitionTable() {
    const ofBlocks = blocks.length > 0;
    const rows = ofBlocks ? blocks : values;
    const told = columns(ofBlocks);
    const byRisk = told.findIndex((column) => column.name.startsWith("leakage"));
    let sorted = byRisk;
    let down = true;
    const table = at("partition");
    const show = pager("partition-pager", ofBlocks ? "released value" : "public value", draw);

    function head() {
      return make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...told.map((column, i) => make("th", {
        scope: "col", role: "columnheader", class: column.number ? "number" : null,
        "aria-sort": i === sorted ? (down ? "descending" : "ascending") : null,
      }, make("button", {
        type: "button", class: "sort",
        onclick: () => {
          down = i === sorted ? !down : Boolean(column.down);
          sorted = i;
          search();
          table.querySelectorAll("button.sort")[i].focus();
        },
      }, column.name + (i === sorted ? (down ? " ↓" : " ↑") : ""))))));
    }

    function draw(page) {
      const lines = page.map((row) => make("tr", { role: "row" }, ...told.map((column) => make("td", {
        role: "cell", "data-label": column.number ? column.name : null,
        class: [column.number ? "number" : "", column.wide ? "shows" : ""].join(" ").trim() || null,
      }, column.shows(row)))));
      table.replaceChildren(head(), make("tbody", { role: "rowgroup" }, ...lines));
    }

    function matches(row, wanted) {
      return row.text.includes(wanted) || (row.members || []).some((value) => value.text.includes(wanted));
    }

    function search() {
      const wanted = at("partition-search").value.trim().toLowerCase();
      const merged = at("partition-merged").checked;
      const found = rows.filter((row) => (!merged || row.size > 1) && (!wanted || matches(row, wanted)));
      if (sorted >= 0) {
        const key = told[sorted].key;
        const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b || 0);
        found.sort((a, b) => (down ? compare(key(b), key(a)) : compare(key(a), key(b))));
      }
      show(found);
    }

    at("partition-tools").hidden = false;
    at("partition-merged").parentElement.hidden = !ofBlocks;
    at("partition-tools").addEventListener("submit", (event) => event.preventDefault());
    at("partition-search").addEventListener("input", search);
    at("partition-merged").addEventListener("change", search);
    at("partition-csv").addEventListener("click", download);
    search();
  }

  /* ---- CSV: one line per public value ---- */

  function download() {
    const told = values.length > 0 && values[0].records !== null;
    const names = data.partition.released.map((name) => `released ${name}`);
    const lines = [[...data.partition.public, ...names, ...(told ? ["records", "omega"] : [])]];
    for (const value of values) {
      lines.push([
        ...value.texts,
        ...(value.block === null ? [] : blocks[value.block].texts),
        ...(told ? [value.records, value.omega.replace("∞", "inf")] : []),
      ]);
    }
    // A spreadsheet runs such a text as a formula; a quote before it makes it a text.
    const runs = (text) => /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) && Number.isNaN(Number(text));
    const escaped = (text) => (runs(text) ? `'${text}` : text);
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const cell = (item) => quoted(escaped(String(item)));
    const csv = lines.map((line) => line.map(cell).join(",")).join("\r\n");
    const address = URL.createObjectURL(new Blob(["\ufeff", csv, "\r\n"], { type: "text/csv" }));
    make("a", { href: address, download: "values.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  if (data.heat) heatMap(data.heat);
  if (at("partition")) partitionTable();
  document.addEventListener("scroll", () => {
    if (pointedAt) beside(at("tip"), pointedAt);
  }, { passive: true, capture: true });
})();
