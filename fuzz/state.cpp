#include <stdexcept>

#include "fearnet/data/state_file.hpp"
#include "fearnet/registry.hpp"
#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {
namespace {

// What was read and written once comes back the same for ever.
void check_round_trip(const State& state, const std::filesystem::path& folder) {
    save_state(state, folder / "once");
    save_state(load_state(folder / "once"), folder / "twice");
    if (io::read_file(folder / "once") != io::read_file(folder / "twice"))
        throw std::logic_error("a state read back is another one");
}

void answer(const State& state) {
    const std::unique_ptr<Learner> learner = restore_learner(state);
    if (learner->width() > 0) learner->predict(Matrix(2, learner->width()));
    // What sleeps in closed form is quick enough to be tried.
    if (learner->name() == "fearnet-plus") learner->sleep();
}

}  // namespace

void state(io::ByteView bytes) {
    static const Folder folder;
    const std::string file = folder.write("data", bytes);
    read_or_refuse([&] {
        const State read = load_state(file);
        check_round_trip(read, folder.path());
        answer(read);
    });
}

}  // namespace fearnet::fuzz
