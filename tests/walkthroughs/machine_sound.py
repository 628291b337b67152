"""docs/walkthroughs/machine_sound.md: its commands run, and what it says about the answers is true."""
import sounds
from walkthrough import Walkthrough, check

KNOWN = ("healthy", "bearing", "air-leak", "loose-cover")
NIGHT = ("healthy", "healthy", "bearing", "belt", "belt", "belt", "belt")
NEXT_NIGHT = ("healthy", "belt", "belt", "healthy", "belt")

walk = Walkthrough("walkthroughs/machine_sound.md", ["sound"])
folder = walk.folder
for kind in KNOWN:
    sounds.write(folder / "pump" / kind, kind, 16, seed=1)
    sounds.write(folder / "checked" / kind, kind, 8, seed=2)
for name, kinds in (("night", NIGHT), ("next_night", NEXT_NIGHT)):
    for hour, kind in enumerate(kinds):
        sounds.write(folder / name, kind, 1, seed=100 * len(kinds) + hour, name=f"{hour:02}-00.wav")
walk.run()


def right(command, name, kinds):
    answers = walk.answers(command)
    return sum(answers[f"{name}/{hour:02}-00.wav"] == kind for hour, kind in enumerate(kinds))


check(walk.accuracy("fearnet evaluate pump.brain checked/") >= 90, "the known faults are recognized")
expected = ["unknown" if kind == "belt" else kind for kind in NIGHT]
found = right("fearnet predict pump.brain night/ --unknown 5%", "night", expected)
check(found >= len(NIGHT) - 1, "the unknown noise is unknown, the others are not", found)
found = right("fearnet predict pump.brain next_night/ --unknown 5%", "next_night", NEXT_NIGHT)
check(found >= len(NEXT_NIGHT) - 1, "the noise is recognized after it was taught", found)
before, after = (walk.accuracy("fearnet evaluate pump.brain checked/" + end) for end in ("", " | head -1"))
check(after >= before - 5, "a later class does not lower the accuracy of the others", before, after)
