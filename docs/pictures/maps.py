"""Pictures of which threads take part and where objects are: a cluster's barrier, proxies, the choice of a barrier, scopes, layers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from pathlib import Path

from svg import MARGIN, WIDTH, Code, Picture, Quiet

INCLUDE = Path(__file__).resolve().parents[2] / "include"
INNER = WIDTH - 2 * MARGIN


def cluster_barrier(theme):
    picture = Picture(
        theme,
        504,
        "Which threads can arrive and wait at a barrier of a cluster",
        "A barrier of cluster scope is in the shared memory of block 1. The threads of block 1 arrive and wait there. "
        "Threads of block 0 arrive, expect bytes and send bytes through a remote_barrier, and cannot wait there: each block "
        "waits for a barrier of its own. Arrivals release and waits acquire at cluster scope.",
    )
    picture.heading(24, "A barrier in another block of the cluster")
    picture.rect(MARGIN, 44, INNER, 324, None, "edge", dash=True)
    picture.text(24, 60, Quiet("cluster"))
    picture.rect(24, 76, 432, 60, "panel", "edge")
    picture.text(36, 106, "block 0", bold=True)
    picture.rect(24, 248, 432, 108, "panel", "edge")
    picture.text(36, 302, "block 1", bold=True)

    picture.path([(168, 124), (168, 264)], "green", 2, arrow=True)
    calls = ["remote_barrier(bar, 1)", "arrive", "arrive_tx, expect_tx", "memcpy_async_tx"]
    picture.lines(180, 156, map(Code, calls), 22)
    picture.path([(420, 124), (420, 264)], "red", 2, dash=True)
    picture.rect(408, 168, 24, 24, "paper")
    picture.cross(420, 180)
    picture.text(412, 222, "no wait", anchor="end", color="red")
    picture.path([(168, 320), (168, 292)], "green", 2, arrow=True)
    picture.text(180, 306, Code("arrive, wait, wait_parity"))

    picture.box(144, 88, 300, 36, ["threads"], "blue-fill", "blue")
    picture.box(144, 264, 300, 28, [Code("bar")], "green-fill", "green")
    picture.box(144, 320, 300, 28, ["threads"], "blue-fill", "blue")

    picture.lines(
        MARGIN,
        388,
        [
            Quiet("Arrivals release and waits acquire, at cluster scope."),
            Quiet("Block 0 waits for block 1 at a barrier of its own."),
            Code("init_barriers(this_cluster(), …)"),
            Quiet("comes before the first arrival."),
            Code("cluster_exit_guard"),
            Quiet("keeps each block alive until all threads are done."),
        ],
        20,
    )
    return picture


def peer_barrier(theme):
    picture = Picture(
        theme,
        400,
        "How the blocks of two GPUs meet",
        "Each GPU has a part of the barrier in its own memory: a word that counts the arrivals of its blocks, and a slot for each "
        "GPU. The blocks of a GPU add to the word. The last of them stores the phase into its slot on every GPU. All blocks poll "
        "the slots of their own GPU, until each slot has the phase.",
    )
    picture.heading(24, "Stores cross the link, and polls stay at home")
    for gpu, left in enumerate((12, 252)):
        picture.rect(left, 44, 216, 244, "panel", "edge")
        picture.text(left + 12, 62, f"GPU {gpu}", bold=True)
        for block in range(3):
            x = left + 12 + 66 * block
            picture.path([(x + 30, 108), (x + 30, 140)], "green", 2, arrow=True)
            picture.box(x, 80, 60, 28, [f"block {block}"], "blue-fill", "blue")
        picture.text(left + 12, 274, Quiet("all blocks poll these slots"))
    for start, end in ((76, 76), (152, 316), (328, 164), (404, 404)):
        picture.path([(start, 168), (end, 220)], "green", 2, arrow=True)
    for left in (12, 252):
        picture.box(left + 12, 140, 192, 28, [Code("arrivals")], "green-fill", "green")
        for slot in range(2):
            picture.box(left + 12 + 100 * slot, 220, 92, 28, [f"slot {slot}"], "green-fill", "green")
    picture.lines(
        MARGIN,
        312,
        [
            Quiet("1. Each block adds to the word of its GPU."),
            Quiet("2. The last block stores the phase on all GPUs,"),
            Quiet("in the slot that belongs to its GPU."),
            Quiet("3. All blocks wait until both slots have the phase."),
        ],
        20,
    )
    return picture


def proxies(theme):
    picture = Picture(
        theme,
        732,
        "The three proxies, and the fences between them",
        "Ordinary loads and stores go through the generic proxy, bulk copies through the async proxy, reads of tensor maps "
        "through the tensormap proxy. Between ordinary accesses and a later bulk copy come a synchronization of the threads, "
        "then fence_before_bulk_copy in the copying thread. Between a bulk copy and later ordinary accesses the wait for the "
        "copy is enough. Between stores to a tensor map and a copy that uses it come release_tensor_map in each thread that "
        "has stored, a synchronization, and acquire_tensor_map in the copying thread.",
    )
    lane, gap = 148, 6
    lanes = [MARGIN + (lane + gap) * index for index in range(3)]
    both, all_lanes = 2 * lane + gap, 3 * lane + 2 * gap
    heads = [
        ("generic", "loads, stores,", "atomics, cp.async"),
        ("async", "bulk copies,", "wgmma"),
        ("tensormap", "tensor maps that", "copies read"),
    ]
    picture.heading(24, "Three proxies, and the fences between them")
    for x, (name, *what) in zip(lanes, heads):
        picture.rect(x, 44, lane, 76, "panel")
        picture.text(x + lane / 2, 62, name, anchor="middle", bold=True)
        picture.lines(x + lane / 2, 84, map(Quiet, what), anchor="middle")

    def access(index, y, text, width=lane):
        picture.box(
            lanes[index] + 8,
            y,
            width - 16,
            30,
            [text],
            "blue-fill" if index == 0 else "orange-fill",
            "blue" if index == 0 else "orange",
        )

    def order(y, width, texts, fence):
        height = 48 if len(texts) > 1 else 30
        fill, line = ("green-fill", "green") if fence else ("paper", "edge")
        picture.box(MARGIN, y, width, height, texts, fill, line, dash=not fence)

    for index, end in ((0, 340), (1, 302)):
        picture.path([(lanes[index] + lane / 2, 120), (lanes[index] + lane / 2, end)])
    access(0, 132, "load, store")
    order(170, both, ["the threads synchronize"], False)
    order(208, both, [Code("fence_before_bulk_copy()"), Quiet("the copying thread")], True)
    access(1, 264, "bulk copy")
    order(302, both, ["wait for the copy: no fence needed"], False)
    access(0, 340, "load, store")

    picture.path([(MARGIN, 386), (WIDTH - MARGIN, 386)])
    picture.path([(lanes[0] + lane / 2, 416), (lanes[0] + lane / 2, 440)])
    for x in lanes[1:]:
        picture.path([(x + lane / 2, 480), (x + lane / 2, 590)])
    access(0, 402, "store to the map")
    order(440, all_lanes, [Code("release_tensor_map()"), Quiet("each thread that has stored")], True)
    order(496, all_lanes, ["the threads synchronize"], False)
    order(534, all_lanes, [Code("acquire_tensor_map(map)"), Quiet("the copying thread")], True)
    access(1, 590, "bulk copy with this map", both)

    picture.path([(MARGIN, 636), (WIDTH - MARGIN, 636)])
    notes = [
        "memcpy_async, cuda::pipeline and bulk_pipeline",
        "include the first fence; init_barriers has its own.",
        "For a copy into another block, each thread there that",
        "has loaded or stored calls it, before it synchronizes.",
    ]
    picture.lines(MARGIN, 656, map(Quiet, notes), 20)
    return picture


def choose_barrier(theme):
    choices: list[tuple] = [
        (["lanes of", "a warp"], [("They meet.", "__syncwarp()")]),
        (
            ["part of", "a block"],
            [("Some warps meet.", "named_barrier"), ("One group of warps waits for another.", "named_channel")],
        ),
        (
            ["block"],
            [
                ("All threads meet, and nothing else.", "__syncthreads()"),
                ("Arrive or wait alone, poll, wait for copies.", "cuda::barrier<cuda::thread_scope_block>"),
            ],
        ),
        (
            ["cluster", "sm_90"],
            [
                ("All threads meet.", "cluster_barrier"),
                (
                    "A block waits for threads or bytes of others.",
                    "cuda::barrier<cuda::thread_scope_cluster>",
                    "remote_barrier",
                ),
            ],
        ),
        (
            ["grid"],
            [
                ("Whole blocks meet, all or some.", "grid_barrier<>"),
                ("Single threads of several blocks meet.", "cuda::barrier<cuda::thread_scope_device>"),
            ],
        ),
        (
            ["several", "GPUs,", "host"],
            [
                ("Whole blocks and host threads meet.", "grid_barrier<cuda::thread_scope_system>"),
                ("Single threads of GPUs and host meet.", "cuda::barrier<cuda::thread_scope_system>"),
            ],
        ),
    ]
    said = "; ".join(f"{' '.join(who)}: " + ", ".join(" ".join(leaf) for leaf in leaves) for who, leaves in choices)
    picture = Picture(theme, 688, "Which barrier for which threads", said.replace(".,", ",").replace(". ", ": "))
    picture.heading(24, "Which threads wait for one another?")
    x, width, leaf_x = 24, 72, 108
    y, trunk = 48, []
    for who, leaves in choices:
        heights = [24 + 20 * (len(leaf) - 1) for leaf in leaves]
        total = sum(heights) + 4 * (len(leaves) - 1)
        middle = y + total / 2
        trunk.append(middle)
        size = 18 * len(who) + 10
        picture.box(x, middle - size / 2, width, size, who, "green-fill", "green")
        for leaf, height in zip(leaves, heights):
            center = y + height / 2
            picture.path([(x + width, middle), (102, middle), (102, center), (leaf_x, center)])
            picture.rect(leaf_x, y, WIDTH - MARGIN - leaf_x, height, "panel", radius=4)
            question, *names = leaf
            picture.text(leaf_x + 6, y + 13, Quiet(question))
            picture.lines(leaf_x + 6, y + 32, map(Code, names), 20)
            y += height + 4
        y += 8
    picture.path([(MARGIN, 36), (MARGIN, trunk[-1])])
    for middle in trunk:
        picture.path([(MARGIN, middle), (x, middle)])
    notes = ["Names without a namespace are in cudasync.", "sm_90: compute capability 9.0 and newer."]
    picture.lines(MARGIN, y + 10, map(Quiet, notes), 20)
    return picture


def scopes(theme):
    picture = Picture(
        theme,
        560,
        "Scopes, from one thread to the whole system",
        "Nested boxes. The scope of the system holds the host and all GPUs, that of a device one GPU, that of a cluster its "
        "blocks, from sm_90 on, that of a block its threads, that of a thread only itself. Thread X shares its block with W, its "
        "cluster with Y, its GPU with Z, and the system with the host thread H. Concurrent accesses are atomic with respect to "
        "each other only if the scope of each includes both threads.",
    )
    picture.heading(24, "Each scope includes the ones inside it")

    def nest(x, y, width, height, name, what, fill, line):
        picture.rect(x, y, width, height, fill, line)
        picture.text(x + 10, y + 15, Code(name))
        if what:
            picture.text(x + width - 10, y + 15, Quiet(what), anchor="end")

    def thread(x, y, name):
        picture.rect(x, y, 32, 32, "paper", "ink", radius=16)
        picture.text(x + 16, y + 16, name, anchor="middle", bold=True)

    nest(12, 44, 456, 304, "thread_scope_system", "host and all GPUs", "panel", "edge")
    nest(24, 76, 432, 224, "thread_scope_device", "one GPU", "paper", "edge")
    nest(36, 108, 408, 148, "thread_scope_cluster", "sm_90 and newer", "green-fill", "green")
    nest(48, 140, 228, 108, "thread_scope_block", "", "blue-fill", "blue")
    picture.rect(56, 166, 212, 36, "paper", "blue")
    thread(60, 168, "X")
    picture.text(100, 184, Code("thread_scope_thread"))
    thread(60, 210, "W")
    picture.rect(288, 140, 144, 108, "blue-fill", "blue")
    picture.text(298, 155, Quiet("another block"))
    thread(344, 184, "Y")
    thread(344, 262, "Z")
    picture.text(332, 278, Quiet("another cluster"), anchor="end")
    thread(344, 308, "H")
    picture.text(332, 324, Quiet("host"), anchor="end")

    picture.heading(376, "The narrowest scope that is wide enough")
    pairs = [("X and W", "block"), ("X and Y", "cluster"), ("X and Z", "device"), ("X and H", "system")]
    for index, (pair, scope) in enumerate(pairs):
        y = 406 + 24 * index
        picture.text(24, y, pair)
        picture.text(132, y, Code(f"thread_scope_{scope}"))
    rule = [
        "Concurrent accesses are atomic with respect to each",
        "other only if the scope of each includes both threads.",
    ]
    picture.box(12, 496, 456, 52, rule, "green-fill", "green")
    return picture


# A call, from the program to its instruction: the file, what its layer has, and what stands there.
CALL = [
    ("cuda/barrier", "public header: names", "using cudasync::barrier;"),
    ("cudasync/barrier.h", "type: what the user holds", "checked::arrive(phase_, "),
    ("cudasync/checked/phase.h", "checks, records and events: only if a macro asks", "backend::arrive(target::here{}, phase, "),
    ("cudasync/backend/phase/block_phase_device.h", "backend: how each target does it", "arrive_on_mbarrier(target::sm90, "),
    ("cudasync/ptx/mbarrier.h", "instruction: the only inline assembly", "mbarrier.arrive.shared.b64"),
]


def layers(theme):
    for file, _, words in CALL:
        if words not in (INCLUDE / file).read_text(encoding="utf-8"):
            raise ValueError(f"{file} has no `{words}` any more: change CALL")
    picture = Picture(
        theme,
        632,
        "The layers of the library, and the path of a call through them",
        "From bar.arrive() to the instruction mbarrier.arrive in five files: "
        + "; ".join(f"{file}, {role}" for file, role, _ in CALL)
        + ". All layers use core: compiler, target, integers, traits. Next to checked is trace, for the timeline. "
        "In the layer of the types is compat: names that "
        "programs and headers of NVIDIA expect. A header includes only its own layer and lower layers.",
    )
    picture.heading(24, "From a call to its instruction in five files")
    picture.box(MARGIN, 44, INNER, 32, [Code("bar.arrive()")], "paper", "edge", dash=True)
    fills = [("panel", "edge"), ("blue-fill", "blue"), ("paper", "edge"), ("green-fill", "green"), ("orange-fill", "orange")]
    y = 76
    for (file, role, words), (fill, line) in zip(CALL, fills):
        picture.path([(WIDTH / 2, y), (WIDTH / 2, y + 16)], arrow=True)
        y += 16
        picture.rect(MARGIN, y, INNER, 72, fill, line)
        picture.text(MARGIN + 12, y + 17, Code(file))
        picture.text(MARGIN + 12, y + 36, Quiet(role))
        picture.text(MARGIN + 12, y + 55, Code(words + "…)" * words.endswith(" ")))
        y += 72
    y += 16
    for x, name, texts in (
        (MARGIN, "cudasync/core/", ["below all layers:", "compiler, target, traits"]),
        (246, "cudasync/compat/", ["layer of the types:", "compatibility names"]),
    ):
        picture.rect(x, y, 222, 66, "panel", "edge")
        picture.text(x + 10, y + 15, Code(name))
        picture.lines(x + 10, y + 34, map(Quiet, texts))
    picture.text(MARGIN, y + 84, Quiet("A header includes only its own layer and lower ones."))
    return picture
