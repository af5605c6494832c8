"""Each place where a fault of synchronization can be planted has a test that sees it, or a reason why none can."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


import sites
import test_mutants
from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE

GONE = """These places of test/mutants/sites.txt are gone: an order, a scope, a fence or a count that a header had. The test named
next to each fails without it. Run that test. If it fails, or if it no longer covers the code (it must fail with the fault in the
new place), mend the header or the test first. Remove the line only then. If only the last number of `#2 of 3` has changed, the places of that
text in that function are other ones than before: which test sees a fault in which of them is to be found again.
"""


def touched(site):
    """Whether a mutant that is written by hand changes the text there."""
    text = (INCLUDE / "cudasync" / site.header).read_text(encoding="utf-8")
    for mutant in test_mutants.MUTANTS:
        if mutant.header == site.header:
            begin = text.find(mutant.text)
            if begin < site.end and site.begin < begin + len(mutant.text):
                return True
    return False


def test_each_site_is_listed():
    missing, superfluous = [], []
    for header in sites.headers():
        listed = set(sites.entries().get(header, {}))
        found = {site.name: site for site in sites.sites(header)}
        missing += [
            f"{header}: {name}: {site.replacement}"
            for name, site in found.items()
            if name not in listed and not touched(site) and not sites.is_incomplete(header)
        ]
        superfluous += [
            f"{header}: {name}, seen by: {sites.entries()[header][name]}" for name in sorted(listed - set(found))
        ]
    assert not missing, "add these to test/mutants/sites.txt, with a test that fails with the fault:\n" + "\n".join(missing)
    assert not superfluous, GONE + "\n".join(superfluous)


def test_sites_are_found():
    """In a header's text, by the functions that they are in."""
    code = cpp.without_comments_and_directives(
        "namespace a {\ntemplate <thread_scope Scope>\nCUDASYNC_API void wait(const word& at) {  // fence()\n"
        "  while (!has_flipped(load_acquire<Scope>(at))) {\n  }\n}\nstruct b {\n  void arrive() { __syncwarp(); }\n};\n}\n"
    )
    assert [name for *_, name in cpp.bodies(code)] == ["wait", "arrive"]
    assert [match[0] for match in sites.ORDER.finditer(code)] == ["load_acquire"]
    assert [match[0] for match in sites.SCOPE.finditer(code)] == ["Scope"]
    assert [match[0] for match in sites.PARITY.finditer(code)] == ["has_flipped"]
    assert [match[0] for match in sites.FENCE.finditer(code)] == ["__syncwarp"]


def test_one_more_site_changes_the_names():
    """Or the first of two would be listed with the test of what was the only one."""

    def names(*texts):
        return [site.name for site in sites.numbered([sites.Site("x.h", text, 0, 0, "") for text in texts])]

    assert names("wait fence()", "wait Scope") == ["wait fence()", "wait Scope"]
    two = names("wait fence()", "wait Scope", "wait fence()")
    assert two == ["wait fence() #1 of 2", "wait Scope", "wait fence() #2 of 2"]
    assert not set(names("wait fence()")) & set(two)
    assert not set(names("wait fence()", "wait fence()", "wait fence()")) & set(two)
