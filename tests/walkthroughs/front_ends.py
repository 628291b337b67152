"""docs/front_ends.md: its commands run and answer as the page says."""
import json
import pathlib
import shutil

import pictures
import sounds
import texts
from walkthrough import Walkthrough, check

walk = Walkthrough("front_ends.md", ["image", "sound", "text"])
folder = walk.folder
for kind in ("magpie", "pigeon", "robin"):
    pictures.write(folder / "photos" / kind, kind, 8, seed=1)
(folder / "photos" / "robin" / "notes.md").write_text("The robins of March.\n")
pictures.write(folder / "new", "woodpecker", 3, seed=1)
pictures.write(folder, "woodpecker", 1, seed=9, name="IMG_2041.png")
for kind in ("healthy", "bearing", "air-leak"):
    sounds.write(folder / "pump" / kind, kind, 8, seed=1)
sounds.write(folder, "loose-cover", 1, seed=1, name="rattle.wav")
sounds.write(folder, "bearing", 1, seed=2, name="now.wav")
kinds = ("printer", "password", "network")
(folder / "requests.txt").write_text("".join(f"{kind}\t{text}\n" for kind in kinds for text in texts.to_learn(kind)))
(folder / "inbox.txt").write_text("".join(f"{texts.to_ask(kind)[0]}\n" for kind in kinds))

# The model of a user: that of photographs under another name.
model = next(m for m in walk.fearnet_json("models") if m["kind"] == "image" and m["default"])
shutil.copy(pathlib.Path(model["folder"]) / "model.onnx", folder / "clip.onnx")
catalog = json.loads((pathlib.Path(__file__).resolve().parents[2] / "models" / f"{model['name']}.json").read_text())
parts = [f'    "{key}": {json.dumps(catalog[key])}' for key in ("kind", "input", "output")]
(folder / "clip.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")
walk.run()


def answer(command):
    return next(iter(walk.answers(command).values()))


check("1 input was skipped:" in walk.output("fearnet learn birds.brain photos/"), "a file of notes is skipped")
check(answer("fearnet predict birds.brain IMG_2041.png --top 3") == "woodpecker", "a photograph is recognized")
check(answer("fearnet predict own.brain IMG_2041.png") in ("magpie", "pigeon", "robin", "unknown"), "an own model answers")
check(answer("fearnet predict pump.brain now.wav") == "bearing", "a sound is recognized")
check(answer('fearnet predict desk.brain --text "nothing comes out of the printer" --top 2') == "printer", "a text is")
stream = list(walk.answers("cat inbox.txt | fearnet predict desk.brain -").values())
check(stream == list(kinds), "texts of a stream are recognized", stream)
