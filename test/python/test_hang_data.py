"""The data of a report, as C++ and Python write it to JSON: from the same bytes, the same, which the schema allows."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import subprocess

import pytest

from cudasync import hang_data
from cudasync_tools import json_schema, toolchain

SCHEMA = json.loads((toolchain.ROOT / "python/cudasync/hang_report.schema.json").read_text(encoding="utf-8"))

# Writes the bytes of a report to the file argv[1], and its JSON to the output. argv[2]: which report.
PROGRAM = r"""
#include <cudasync/hang/report_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
using namespace cudasync::checked;
static host_report report;
static report_data& data = report.data;

static text_span said(const char* words) {
  const text_span result{report.words.length, static_cast<unsigned>(strlen(words))};
  report.words << words << "\n";
  return result;
}

static void add_object(unsigned index) {
  reported_object& object = data.objects[data.objects_used++];
  object.address = 0x7fff00000400ull + index;
  object.what = static_cast<kind>(1 + index);
  object.who = static_cast<role>(index % 5);
  object.stage = index;
  object.has_phase = index % 2;
  object.expected = 256;
  object.arrived = 255;
  object.parity = index / 2 % 2;
  object.bytes = index % 4 == 3 ? -16 : 64;
  object.name = said("stage \"1\" of a\\b");
  if (index % 3 == 0) object.place = said("k.cu:34");
  object.line = said("an object\twith a tab");
}

static void add_wait(unsigned object, unsigned warp, unsigned lanes) {
  reported_wait& wait = data.waits[data.waits_used++];
  wait.object = object;
  wait.parity = object == 1 ? ~0u : 1;
  wait.threads = 3;
  wait.others = 100725;
  wait.place = said("k.cu:24");
  wait.line = said("threads wait");
  wait.warps[warp] = lanes;
  wait.warps[31] = 0x80000000;
}

int main(int, char** argv) {
  const unsigned which = static_cast<unsigned>(atoi(argv[2]));
  report.is_complete = 1;
  report.words.clear();
  data.version = report_version;
  data.what = static_cast<incident>(which % 3);
  data.milliseconds = 100;
  data.threads = 1024;
  data.block[1] = 7;
  data.left_out = which;
  data.headline = said("hang: no progress");
  for (unsigned index = 0; index < (which == 0 ? 10u : 1u); ++index)
    add_object(index);
  add_wait(0, 0, 0xf000000f);
  add_wait(0, 1, 1);
  if (which == 0) add_wait(1, 3, 0xffffffff);
  data.why.what = static_cast<cause>(which);
  data.why.object = which == 1 ? ~0u : 0;
  data.why.text = said("thread 37 has not arrived.");
  data.why.remedy = said("let it arrive.");
  data.why.warps[1] = 0x20;
  data.why.numbers_used = which % 7;
  for (unsigned index = 0; index < data.why.numbers_used; ++index)
    data.why.numbers[index] = {0xffffffffffffffff - index, static_cast<number>(which % 19 + index), 0};
  data.other.what = which % 2 == 0 ? cause::unknown : cause::overwritten;
  data.other.object = 0;
  data.other.text = said("something has written over it.");
  data.other.remedy = which % 2 == 0 ? text_span{} : said("find the store.");
  data.further.what = which % 3 == 0 ? cause::unknown : cause::no_permit;
  data.further.text = said("thread 3 holds a permit.");
  data.further.remedy = which % 3 == 0 ? text_span{} : said("release the permit.");
  data.unexplained = which % 4;
  FILE* const file = fopen(argv[1], "wb");
  fwrite(&report, sizeof report, 1, file);
  fclose(file);
  puts(report_json(report).text().c_str());
}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function that returns (the bytes, the JSON of C++) of a report."""
    folder = tmp_path_factory.mktemp("report")
    source, program = folder / "report.cpp", folder / "report"
    source.write_text(PROGRAM, encoding="utf-8")
    command = [toolchain.gxx(), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-DCUDASYNC_CHECKED=1", f"-I{toolchain.INCLUDE}"]
    subprocess.run([*command, "-o", program, source], check=True)

    def run(which):
        made = subprocess.run([program, folder / "bytes", str(which)], check=True, capture_output=True, text=True)
        return (folder / "bytes").read_bytes(), json.loads(made.stdout.splitlines()[0])

    return run


def enumerators(name):
    """Those of an enumeration of the headers, or of its table."""
    text = (toolchain.INCLUDE / "cudasync/hang/report_data.h").read_text(encoding="utf-8")
    if table := re.search(rf"#define CUDASYNC_{name.upper()}S\(EACH\)((?:.*\\\n)*.*)", text):
        return re.findall(r"EACH\((\w+)\)", table[1])
    text = (toolchain.INCLUDE / "cudasync/hang/kind.h").read_text(encoding="utf-8")
    (body,) = re.findall(rf"enum class {name} : uint32 \{{(.*?)\}};", text, re.DOTALL)
    return re.findall(r"\w+", re.sub(r"//.*", "", body))


def words_of(name):
    """The words of a list of report_host.h."""
    text = (toolchain.INCLUDE / "cudasync/hang/report_host.h").read_text(encoding="utf-8")
    (body,) = re.findall(rf"words_of_{name}\[\] = \{{(.*?)\}};", text, re.DOTALL)
    return re.findall(r'"(\w+)"', body)


def test_words_are_the_enumerators():
    cause, numbers = SCHEMA["$defs"]["cause"]["properties"]["cause"], SCHEMA["$defs"]["cause"]["properties"]["numbers"]
    thing = SCHEMA["$defs"]["object"]["properties"]
    assert list(hang_data._CAUSES) == cause["enum"] == enumerators("cause")
    assert list(hang_data._NUMBERS) == numbers["propertyNames"]["enum"] == enumerators("number")
    assert list(hang_data._INCIDENTS) == SCHEMA["properties"]["incident"]["enum"] == enumerators("incident")
    assert list(hang_data._KINDS) == words_of("kinds") == enumerators("kind") == ["nothing", *thing["kind"]["enum"]]
    assert list(hang_data._ROLES) == words_of("roles") == enumerators("role") == ["none", *thing["role"]["enum"][1:]]


def test_every_word_is_documented():
    page = (toolchain.ROOT / "docs/api/hang_report.md").read_text(encoding="utf-8")
    words = [*hang_data._CAUSES, *hang_data._NUMBERS, *hang_data._INCIDENTS, *hang_data._KINDS[1:], *hang_data._ROLES[1:]]
    assert [word for word in words if f"`{word}`" not in page] == []


def test_json_of_python_and_of_cpp(written):
    for which in range(len(hang_data._CAUSES)):
        raw, of_cpp = written(which)
        report = hang_data.HostReport.from_buffer_copy(raw)
        assert len(raw) == hang_data.ctypes.sizeof(report)
        assert hang_data.json_of(report) == of_cpp
        assert list(json_schema.faults(of_cpp, SCHEMA, SCHEMA)) == []
        assert of_cpp["likely_cause"]["cause"] == hang_data._CAUSES[which]
        assert [each["cause"] for each in of_cpp["other_causes"]] == (["overwritten"] if which % 2 else [])
        assert of_cpp["other_remedy"] == ("find the store." if which % 2 else None)
        assert [each["cause"] for each in of_cpp["further_causes"]] == (["no_permit"] if which % 3 else [])
        assert of_cpp["further_remedy"] == ("release the permit." if which % 3 else None)
        assert of_cpp["unexplained"] == [[], [0], [1], [0, 1]][which % 4]
    assert of_cpp["objects"][0]["waits"][0]["threads"] == [[0, 3], [28, 31], [1023, 1023]]
    assert of_cpp["objects"][0]["name"] == 'stage "1" of a\\b' and of_cpp["objects"][0]["text"] == "an objectwith a tab"
    assert of_cpp["likely_cause"]["threads"] == [[37, 37]] and of_cpp["remedy"] == "let it arrive."


def test_another_version_is_refused(written):
    raw, _ = written(0)
    report = hang_data.HostReport.from_buffer_copy(raw)
    report.data.version = 2
    with pytest.raises(RuntimeError, match="compile the kernels with the headers of the package"):
        hang_data.json_of(report)
