"""Pictures with time on an axis: the phases of a barrier, and a ring of stages."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from svg import MARGIN, WIDTH, Code, Picture, Quiet


def parity_color(parity):
    return "green-deep" if parity else "green-fill"


def phases(theme):
    picture = Picture(
        theme,
        500,
        "Phases, tokens and parities of a barrier",
        "A time line of three phases, with parities 0, 1 and 0, of a barrier that expects three arrivals. In each phase "
        "threads A, B and C arrive, and the last arrival completes the phase. A wait for the token of phase 0 blocks in "
        "phase 0, returns in phase 1, and is not valid in phase 2. wait_parity(false) blocks, returns, blocks; "
        "wait_parity(true) returns, blocks, returns.",
    )
    left, width = 168, 100
    edges = [left + width * index for index in range(4)]
    picture.heading(24, "A barrier that expects 3 arrivals")
    picture.text(MARGIN, 70, Quiet("time →"))
    for phase in range(3):
        texts = [f"phase {phase}", f"parity {phase % 2}"]
        picture.box(edges[phase], 48, width, 44, texts, parity_color(phase % 2), "green")

    # For each phase: when each thread arrives, and when it begins to wait; the last arrival ends the phase.
    arrivals = {"A": [(16, 16), (100, None), (44, 64)], "B": [(40, 64), (20, 20), (100, None)]}
    arrivals["C"] = [(100, None), (48, 72), (24, 24)]
    for index, (thread, times) in enumerate(arrivals.items()):
        y = 116 + 28 * index
        picture.text(MARGIN, y, f"thread {thread}")
        picture.path([(left, y), (edges[3], y)])
        for phase, (_, wait) in enumerate(times):
            if wait is not None:
                picture.rect(edges[phase] + wait, y - 4, width - wait, 8, "orange", radius=0)
    for edge in edges:
        picture.path([(edge, 92), (edge, 188)], "green", dash=True)
    for index, times in enumerate(arrivals.values()):
        for phase, (arrival, _) in enumerate(times):
            picture.dot(edges[phase] + arrival, 116 + 28 * index, fill="blue", line="paper")

    picture.dot(left + 6, 208, fill="blue")
    picture.text(left + 20, 208, "arrive: returns the phase's token")
    picture.rect(left, 226, 12, 8, "orange", radius=0)
    picture.text(left + 20, 230, "wait: blocks")
    picture.path([(left + 6, 242), (left + 6, 262)], "green", dash=True)
    picture.text(left + 20, 252, "last arrival: phase completes")

    picture.heading(288, "What a wait does in each phase")
    rows = [
        (Code("wait(token)"), "of phase 0", [("phase 0", "blocks"), ("phase 0", "returns"), ("phase 0", "not valid")]),
        (Code("wait_parity(false)"), None, [("phase 0", "blocks"), ("phase 0", "returns"), ("phase 2", "blocks")]),
        (Code("wait_parity(true)"), None, [("phase −1", "returns"), ("phase 1", "blocks"), ("phase 1", "returns")]),
    ]
    styles = {"blocks": ("orange-fill", "orange"), "returns": ("blue-fill", "blue"), "not valid": ("red-fill", "red")}
    for index, (call, of, cells) in enumerate(rows):
        y = 308 + 48 * index
        picture.lines(MARGIN, y + (13 if of else 22), [call, Quiet(of)] if of else [call])
        for phase, (which, result) in enumerate(cells):
            fill, line = styles[result]
            picture.box(edges[phase] + 2, y, width - 4, 44, [Quiet(which), result], fill, line)
    picture.lines(
        MARGIN,
        464,
        [
            Quiet("A wait is for the current phase or the one before."),
            Quiet("In phase 0, the one before counts as complete."),
        ],
    )
    return picture


def ring(theme):
    picture = Picture(
        theme,
        540,
        "A ring of two stages that carries five tiles",
        "Time runs downward. The producer, one thread, acquires a stage and begins a copy into it. When the bytes of a tile "
        "are there, a phase of the barrier full completes and the consumers stop waiting; when they release the stage, a "
        "phase of the barrier empty completes, and the producer can acquire the stage again. While consumers use one stage, "
        "the copy engine fills the other. Tiles 0, 2 and 4 go through stage 0, tiles 1 and 3 through stage 1.",
    )
    unit, top = 22, 92  # a unit of time
    columns = {"producer": (12, 124), "empty": (144, 24), "stage": (204, 56), "full": (328, 24), "consumers": (388, 80)}

    def at(time):
        return top + unit * time

    def strips(name, changes):
        """The phases of the two barriers: each list has the times at which phases complete."""
        x, width = columns[name]
        for stage, times in enumerate(changes):
            ends = [0, *times]
            for phase, start in enumerate(ends):
                end = times[phase] if phase < len(times) else 18
                if end > start:
                    texts = [str(phase % 2)]
                    picture.box(
                        x + 26 * stage, at(start), width, unit * (end - start), texts, parity_color(phase % 2), "green"
                    )

    picture.heading(24, "Two stages, five tiles")
    for center, text in ((74, "producer"), (169, "empty"), (261, "stages"), (353, "full"), (428, "consumers")):
        picture.text(center, 56, text, anchor="middle", bold=True)
    for x, width in (columns["empty"], columns["full"]):
        for stage in range(2):
            picture.text(x + 26 * stage + width / 2, 78, Quiet(stage), anchor="middle")
    for stage in range(2):
        picture.text(columns["stage"][0] + 58 * stage + 28, 78, Quiet(stage), anchor="middle")
    picture.text(74, 78, Quiet("1 thread"), anchor="middle")
    picture.text(428, 78, Quiet("warps"), anchor="middle")

    for time in range(0, 19, 3):  # when consumers go on to the next tile
        picture.path([(MARGIN, at(time)), (WIDTH - MARGIN, at(time))], width=0.75)

    # Times: a call of the producer takes 1, a copy 2, the use of a tile 3.
    copies = [(0, 1, 3), (1, 2, 4), (6, 7, 9), (9, 10, 12), (12, 13, 15)]  # begun, begins, ends
    uses = [(3, 6), (6, 9), (9, 12), (12, 15), (15, 18)]
    strips("empty", [[6, 12, 18], [9, 15]])
    strips("full", [[3, 9, 15], [4, 12]])

    x, width = columns["producer"]
    for tile, (begun, _, _) in enumerate(copies):
        acquire = [f"acquire, copy {tile}"] if tile < 2 else [f"copy {tile}"]
        picture.box(x, at(begun), width, unit, acquire, "orange-fill", "orange")
        if tile >= 2:
            start = copies[tile - 1][0] + 1
            waits = [f"acquire {tile} waits", f"for parity {tile // 2 % 2 ^ 1}"]
            picture.box(x, at(start), width, unit * (begun - start), waits, "panel", "edge", dash=True)

    x, width = columns["stage"]
    for tile, ((_, begins, ends), (start, end)) in enumerate(zip(copies, uses)):
        left = x + 58 * (tile % 2)
        picture.box(
            left, at(begins), width, unit * (ends - begins), ["copy", str(tile)], "orange-fill", "orange", leading=16
        )
        if start > ends:
            picture.box(left, at(ends), width, unit * (start - ends), ["full"], "panel", "edge", dash=True)
        picture.box(left, at(start), width, unit * (end - start), ["use", str(tile)], "blue-fill", "blue")

    x, width = columns["consumers"]
    picture.box(x, at(0), width, unit * 3, ["wait 0", "for", "parity 0"], "panel", "edge", dash=True)
    for tile, (start, end) in enumerate(uses):
        texts = ["use 0", "release 0"] if tile == 0 else [f"wait {tile}", f"use {tile}", f"release {tile}"]
        picture.box(x, at(start), width, unit * (end - start), texts, "blue-fill", "blue", leading=20)
    notes = [
        "empty, full: one barrier per stage, with its phase's parity.",
        "The first acquire of each stage returns at once.",
    ]
    picture.lines(MARGIN, at(18) + 20, map(Quiet, notes))
    return picture
