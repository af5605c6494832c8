"""The public names that the headers declare, and where the API pages document them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp, headers, pages
from cudasync_tools.toolchain import INCLUDE, ROOT

# Names in namespace cudasync that are not public: helpers of the types, which the pages do not describe.
HELPERS = set("""
    CUtensorMap arrivals_of bulk_checks bulk_copy bulk_copy_box bulk_copy_im2col atomic_kind atomic_number atomic_reader atomic_reference atomic_storage barrier_of barrier_traits basic_cluster_exit_guard begin_copy
    check_bulk_store check_copied_type check_copy check_memcpy_async_tx check_scope_of_transactions copy_extent copy_job_of
    ask_for_block ask_for_cluster canceled_launch check_canceled_call run_canceled_blocks run_canceled_clusters
    run_canceled_clusters_of_blocks several_blocks called_with_block_index this_blocks_canceled_launch
    copy_tracked_by count_of countdown_of counting_scope describe_tensor differs_from encode_tensor_map block_rank_of extent_of group_members has_blocks has_word_size is_valid is_valid_for tested void_of init_all initializes_barriers kind_of_atomic members_of members_word
    most_members no_cache_hint no_group one_consumer one_member one_producer permits_of pipeline_position pipeline_stage position_of require_atomic_type
    require_bulk_copies require_group require_referenceable_type require_tensor_map_fences satisfies sync_members
    check_transaction tcgen05_consumer turn_barriers turn_member
""".split())

# Members that are public for other classes of the library. A user has no reason to name them.
INTERNAL = {
    "pipeline": {"begin_copy"},
    "pipeline_shared_state": {"count_producer", "producers", "start", "start_counting"},
    "barrier": {"phase_of"},
    "counting_semaphore": {"permits_of"},
    "latch": {"countdown_of"},
    "atomic": {"initialize"},
    "expected_arrivals": {"first", "barriers", "expected", "from", "others", "number_of_others"},
    "by_mbarriers": {"turn_barriers"},
    "by_named_barriers": {"turn_barriers"},
    "nvshmem_rail": {"complete", "count", "is_raised", "radix", "raise", "rank", "wait"},  # "Members of a rail" describes them
    "nccl_rail": {"complete", "count", "is_raised", "radix", "raise", "rank", "wait"},
    "consumer_warps": {"arrivals", "is_pair", "threads", "rank", "state", "synchronize", "uses_tensor_cores"},
    "consumer_threads": {"arrivals", "is_pair", "threads", "rank", "state", "synchronize", "uses_tensor_cores"},
    "consumer_warpgroups": {"arrivals", "commit", "fence_after_wait", "finish", "is_pair", "require_tensor_cores", "state", "uses_tensor_cores"},
    "consumer_mma": {"arrivals", "commit", "fence_after_wait", "is_pair", "require_tensor_cores", "state", "uses_tensor_cores"},
    "consumer_mma_pair": {
        "arrivals", "commit", "copy", "copy_im2col", "fence_after_wait", "is_leader", "is_pair", "leader", "require_tensor_cores", "state", "uses_tensor_cores"
    },
}

# Bases and implementations, whose members the page of another class lists.
DOCUMENTED_AS = {
    "atomic_reader": ("atomic", "atomic_ref"),
    "atomic_reference": ("atomic", "atomic_ref"),
    "basic_cluster_exit_guard": ("cluster_exit_guard",),
}


# --- What the headers declare ---


def exported():
    """(header, name) of each using-declaration of a public header, such as `using cudasync::barrier;`."""
    for header in headers.public_headers():
        text = (INCLUDE / header).read_text(encoding="utf-8")
        for declaration in re.findall(r"^\s*using cudasync::[^;=]*;", text, re.MULTILINE):
            yield from ((header, name) for name in cpp.exported(declaration))


def declared():
    """{class: names of its public members} of all classes of the types, and {"": names outside of classes}."""
    result = {}
    for path in headers.of_types():
        for name, found in cpp.names_of(cpp.expanded(path.read_text(encoding="utf-8"))).items():
            result.setdefault(name, set()).update(found)
    return result


# Headers in compat/ whose functions users call, and the first line of their namespace of names.
COMPAT = {"ptx.h": "namespace ptx_names {", "tensor_copies.h": "namespace experimental {"}


def without_comment():
    """(header, line, what is wrong) of each public declaration that has no comment, or one that does not say what it does.

    Editors show the comment that is directly above a declaration, and nothing else.
    """
    for path in headers.of_types():
        text = path.read_text(encoding="utf-8")
        for owner, name, position in cpp.declarations(text):
            is_defaulted = "= default" in text[position : text.index(";", position)].split("{")[0]
            is_seen = name not in HELPERS and name not in INTERNAL.get(owner, ()) and owner not in HELPERS - set(DOCUMENTED_AS)
            if is_seen and not is_defaulted and not name.startswith("~"):
                yield from faulty_comment(path.name, text, cpp.line_of(text, position), f"{owner}::{name}")
        for row in re.finditer(r"^(CUDASYNC_\w+)\s*\((\w+)", text, re.MULTILINE):
            if re.search(rf"^#define {row[1]}\(", text, re.MULTILINE):
                yield from faulty_comment(path.name, text, cpp.line_of(text, row.start()), f"{row[1]}({row[2]})")
    for header, start in COMPAT.items():
        text = (INCLUDE / "cudasync/compat" / header).read_text(encoding="utf-8")
        for found in re.finditer(r"^(?:template <.*>\nCUDASYNC_DEVICE|(?<!>\n)CUDASYNC_DEVICE|using ptx::).*?(\w+)[;(]", text, re.MULTILINE):
            if found.start() > text.index(start):
                yield from faulty_comment(header, text, cpp.line_of(text, found.start()), found[1])


def faulty_comment(header, text, line, name):
    """(header, line, fault) if the comment directly above a line is not a description."""
    lines = []
    for above in reversed(text.splitlines()[: line - 1]):
        if not re.match(r"\s*//", above):
            break
        lines.insert(0, above.strip().removeprefix("//").strip())
    if not lines:
        yield header, line, f"{name}: no comment directly above it"
    elif any("clang-format" in each or each.startswith("---") for each in lines):
        yield header, line, f"{name}: a line for a tool, or the title of a section, is part of its comment: put an empty line between them"
    elif re.match(r"(As|The same|Like|Likewise|See|Ditto)\b", lines[0]):
        yield header, line, f"{name}: the comment refers to another one: say what it does, since an editor shows only this comment"


def exported_types_without_comment():
    """(header, name) of each type that a public header exports without a comment: editors show that text for cuda::barrier."""
    types = set(declared()) | {"async_contract_fulfillment", "binary_semaphore", "memory_order", "pipeline_role", "thread_scope"}
    for header in headers.public_headers():
        text = (INCLUDE / header).read_text(encoding="utf-8")
        for line in re.finditer(r"^(.*)\nusing cudasync::(?:\w+::)*(\w+);", text, re.MULTILINE):
            if line[2] in types and not line[1].startswith("// "):
                yield header, line[2]


# --- Where the pages document them ---


def declares_code(statement):
    """Whether it declares a class or a function: not a constant, an alias or an enumeration."""
    text = re.sub(r"template <(?:[^<>]|<[^<>]*>)*>|//[^\n]*", "", statement)
    is_class = re.search(r"^(class|struct) ", text.strip(), re.MULTILINE)
    return bool(is_class or cpp.name_of(text) and not re.search(r"\busing\b|^[^(]*(?<!operator) = ", text))


ENUMERATION = re.compile(r"\benum (?:class )?\w+ \{([^}]*)\}")


class Section:
    """A heading of a page, the text below it up to the next heading, and the sections that enclose it."""

    def __init__(self, page, title, text, parents):
        self.page, self.title, self.text, self.parents = page, title, text, parents
        blocks = list(pages.BLOCK.finditer(text))
        shown = "\n".join(block["code"] for block in blocks if block["language"] == "cpp" and "int main(" not in block["code"])
        self.names = {word.strip() for words in ENUMERATION.findall(shown) for word in words.split(",")}
        for statement in cpp.without_comments(ENUMERATION.sub(lambda found: found[0].split("{")[0], shown)).split(";"):
            self.names |= cpp.names_in(" ".join(statement.split()))
        self.has_functions = any(declares_code(statement) for statement in shown.split(";"))

    def states(self, label):
        """Whether the section, or one that encloses it, has a paragraph that begins with **label.**"""
        return any(re.search(rf"^\*\*{label}\.\*\*", each.text, re.MULTILINE) for each in (self, *self.parents))

    def chapter(self):
        """The section of the second level that this one belongs to."""
        return (*self.parents, self)[1:2]


def sections(page, text):
    parents, found = [], []
    parts = re.split(r"^(#+) (.*)$", hide_code(text), flags=re.MULTILINE)
    position = len(parts[0])
    for level, title, body in zip(parts[1::3], parts[2::3], parts[3::3]):
        position += len(level) + 1 + len(title)
        parents = parents[: len(level) - 1]
        section = Section(page, title, text[position : position + len(body)], tuple(parents))
        position += len(body)
        parents = [*parents, section]
        found.append(section)
    return found


def hide_code(text):
    """The text with comments of code (`# ...`) in blocks blanked, so that they are no headings."""
    return re.sub(r"^```.*?^```$", lambda block: re.sub(r"^#", " ", block[0], flags=re.MULTILINE), text, flags=re.MULTILINE | re.DOTALL)


def api_sections():
    return [section for page in sorted((ROOT / "docs/api").glob("*.md")) for section in sections(page.name, page.read_text(encoding="utf-8"))]
