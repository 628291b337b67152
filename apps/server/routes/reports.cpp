// What a brain tells of itself: info, history, review, map, check, files, events.
#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "common/brain_json.hpp"
#include "fearnet/onnx.hpp"
#include "server/application.hpp"
#include "server/brains/failure.hpp"
#include "server/http/target.hpp"
#include "server/routes/class_map.hpp"
#include "server/routes/inputs.hpp"
#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

using apps::Json;

Json names_json(const Brain& brain, const std::vector<ClassId>& ids) {
    const std::vector<ClassId> present = brain.learner().classes();
    std::vector<std::string> names;
    for (const ClassId id : ids)
        if (std::binary_search(present.begin(), present.end(), id)) names.push_back(brain.name_of(id));
    return names;
}

Response download(const Brain& brain, std::string bytes, const std::string& file_name) {
    return {
        .type = "application/octet-stream",
        .body = std::move(bytes),
        .headers = {{"FearNet-State", std::to_string(brain.changes())},
                    {"Content-Disposition", "attachment; filename*=UTF-8''" + percent_encoded(file_name)}}};
}

// A file that exists only as long as it is open.
class TemporaryFile {
  public:
    TemporaryFile() {
        const char* folder = std::getenv("TMPDIR");
        path_ = std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/fearnet-serve-XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr)
            throw Error("serve: no temporary folder can be made in " + path_);
        file_ = path_ + "/copy.brain";
    }
    ~TemporaryFile() {
        ::unlink(file_.c_str());
        ::rmdir(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& name() const { return file_; }

  private:
    std::string path_, file_;
};

}  // namespace

void handle_info(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        Json json = apps::as_json(brain->info(), brain->expected_accuracy());
        json.add("name", call.brain->name());
        json.add("state", brain->changes());
        json.add("read_only", call.brain->read_only());
        json.add("input", call.brain->input());
        return json_response(json, *brain);
    });
}

void handle_history(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        Json history = Json::array();
        for (const HistoryEntry& h : brain->info().history)
            history.push_back({{"number", h.number},
                               {"time", h.time},
                               {"action", h.action},
                               {"detail", h.detail},
                               {"examples", h.examples},
                               {"seconds", h.seconds},
                               {"new_classes", names_json(*brain, h.new_classes)},
                               {"known_classes", names_json(*brain, h.known_classes)}});
        return json_response({{"state", brain->changes()}, {"history", std::move(history)}}, *brain);
    });
}

void handle_review(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        Json json = apps::as_json(brain->review());
        json.add("state", brain->changes());
        return json_response(json, *brain);
    });
}

void handle_map(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        Json points = Json::array();
        for (const ClassPoint& p : class_map(*brain))
            points.push_back({{"label", p.label}, {"x", p.x}, {"y", p.y}});
        return json_response({{"state", brain->changes()}, {"points", std::move(points)}}, *brain);
    });
}

void handle_check(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        const std::vector<std::string> problems = check_brain(call.brain->path());
        return json_response(
            {{"state", brain->changes()}, {"intact", problems.empty()}, {"problems", problems}}, *brain);
    });
}

void handle_export(const Call& call) {
    run_later(call, [call] {
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        if (!is_taught(*brain)) throw Failure(409, "this brain has no classes yet; teach it first (learn)");
        return download(*brain, onnx_model(*brain).bytes, call.brain->name() + ".onnx");
    });
}

void handle_snapshot(const Call& call) {
    run_later(call, [call] {
        auto held = call.app.begin_download();
        const TemporaryFile temporary;
        call.brain->snapshot()->copy_to(temporary.name());
        const Brain copy(temporary.name(), BrainAccess::read);
        Response response = download(copy, "", call.brain->name() + ".brain");
        response.file = std::make_shared<OpenFile>(::open(temporary.name().c_str(), O_RDONLY | O_CLOEXEC));
        if (response.file->handle() < 0) throw Error("serve: the copy of the brain cannot be read");
        response.held = std::move(held);
        return response;
    });
}

void handle_events(const Call& call) {
    const std::shared_ptr<const Brain> brain = call.brain->snapshot();
    const std::shared_ptr<BodyStream> stream =
        call.brain->events().listen(event_text("state", call.brain->state_event(*brain, "", "")));
    if (!stream) throw Failure(503, "too many listen to this brain already; try again later");
    call.reply({.type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}, .stream = stream});
}

}  // namespace fearnet::server
