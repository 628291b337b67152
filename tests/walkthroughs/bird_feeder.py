"""docs/walkthroughs/bird_feeder.md: its commands run, and what it says about the answers is true."""
import pictures
from walkthrough import Walkthrough, check

KINDS = ("blue-tit", "bullfinch", "magpie", "pigeon", "robin", "woodpecker")
TODAY = ("robin", "blue-tit", "blue-tit", "magpie", "pigeon", "bullfinch")

walk = Walkthrough("walkthroughs/bird_feeder.md", ["image"])
folder = walk.folder
for kind in KINDS:
    pictures.write(folder / "birds" / kind, kind, 24, seed=1)
    pictures.write(folder / "checked" / kind, kind, 8, seed=2)
for kind in (*KINDS, "goldfinch"):
    pictures.write(folder / "checked_with_goldfinch" / kind, kind, 8, seed=3)
for i, kind in enumerate(TODAY):
    pictures.write(folder / "today", kind, 1, seed=10 + i, name=f"IMG_{101 + i:04}.png")
pictures.write(folder / "new", "goldfinch", 1, seed=4, name="IMG_0107.png")
pictures.write(folder / "tomorrow", "goldfinch", 2, seed=5)
pictures.write(folder / "week", "goldfinch", 10, seed=7)
pictures.write(folder / "visitors", "squirrel", 8, seed=6)
walk.run()

check(walk.accuracy("fearnet evaluate birds.brain checked/") >= 90, "kinds that were taught are known")
today = walk.answers("fearnet predict birds.brain today/")
right = sum(today[f"today/IMG_{101 + i:04}.png"] == kind for i, kind in enumerate(TODAY))
check(right >= len(TODAY) - 1, "today's birds are recognized", today)
visitors = walk.answers("fearnet predict birds.brain visitors/ --unknown 10%")
check(list(visitors.values()).count("unknown") >= 2, "some squirrels are unknown", visitors)

asked = walk.answers("fearnet predict birds.brain checked_with_goldfinch/goldfinch/ --top 3")
check(len(asked) == 8, "a new kind can be asked for at once")
three, many = (walk.accuracy("fearnet evaluate birds.brain checked_with_goldfinch/", n) for n in (0, 1))
check(three >= 85, "with three photographs of a new kind, the others are known as before", three)
check(many >= max(90, three), "with more photographs, the new kind is known, too", three, many)
check(walk.accuracy("fearnet evaluate birds.brain checked_with_goldfinch/ | head -1") >= 90, "sleep loses nothing")
before = walk.accuracy("fearnet evaluate birds.brain checked/")
after = 100 * walk.fearnet_json("evaluate", "birds.brain", "checked/")["accuracy"]
check(after >= before - 5, "a later class does not lower the accuracy of the others", before, after)
