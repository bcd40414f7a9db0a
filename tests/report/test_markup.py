"""Templates: what comes from outside is escaped, and nothing loads before it is needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from loglift.report.markup import file_of, render, script_data, trusted
from loglift.report.page import put_together


def test_half_a_surrogate_pair_does_not_stop_a_page():
    page = put_together("a\ud800b", "", (), data={"x": "\udfff"})
    assert "<title>a?b</title>" in page


def test_texts_are_escaped_and_trusted_ones_are_not():
    page = put_together("<b>&amp;{{ title }}", "</p><i>", ())
    assert "<title>&lt;b&gt;&amp;amp;{{ title }}</title>" in page
    assert "</p><i>" not in page
    assert trusted("<b>").__html__() == "<b>"
    assert file_of("report.css") in page
    assert file_of("report.js") in page


def test_data_cannot_end_its_script():
    data = {"x": "</script><!--&\u2028\u2029"}
    text = script_data(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data
    with pytest.raises(ValueError, match="Out of range"):
        script_data(float("nan"))


def test_a_template_without_its_parts_is_refused():
    with pytest.raises(UndefinedError, match="title"):
        render("loglift.report", "page.html")


def test_jinja_and_vl_convert_load_only_when_used():
    code = (
        "import sys, loglift.cli, loglift.report.page, loglift.report.frontier\n"
        "import loglift.paper.figures\n"
        "print([name for name in ('jinja2', 'markupsafe', 'vl_convert') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
