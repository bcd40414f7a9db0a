// What the theme's script adds to a page, made usable without a mouse and told apart by name.
function label() {
  document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((nav) => {
    nav.setAttribute("aria-label", `Code ${document.querySelectorAll("nav.md-code__nav[aria-label]").length + 1}`);
  });
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((part) => {
    part.tabIndex = 0; // a wide table scrolls sideways with the arrow keys
  });
}
new MutationObserver(label).observe(document.body, { childList: true, subtree: true });
label();
