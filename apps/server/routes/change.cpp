// Changes of a brain: learn, sleep, forget, rename, merge.
#include <algorithm>
#include <set>

#include "common/brain_json.hpp"
#include "server/application.hpp"
#include "server/brains/failure.hpp"
#include "server/http/json_body.hpp"
#include "server/routes/inputs.hpp"
#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

using apps::Json;

// The rows without the suspects.
InputRows without(const std::vector<SuspectLabel>& suspects, const InputRows& all) {
    std::set<std::size_t> out;
    for (const SuspectLabel& s : suspects) out.insert(s.row);
    InputRows left;
    left.front_end = all.front_end;
    left.rows = Matrix(all.rows.rows() - out.size(), all.rows.cols());
    std::size_t at = 0;
    for (std::size_t i = 0; i < all.rows.rows(); ++i) {
        if (out.count(i) != 0) continue;
        std::copy_n(all.rows.row(i), all.rows.cols(), left.rows.row(at++));
        left.labels.push_back(all.labels[i]);
    }
    return left;
}

// The suspects by the input that they are, not by row.
Json suspects_json(const std::vector<SuspectLabel>& suspects, const InputRows& in) {
    std::vector<SuspectLabel> named = suspects;
    Json list = Json::array();
    for (SuspectLabel& s : named) {
        Json entry{{"row", in.of_input[s.row]},
                   {"label", s.label},
                   {"looks_like", s.looks_like},
                   {"probability", s.probability}};
        if (!in.names.empty()) entry.add("input", in.names[s.row]);
        list.push_back(std::move(entry));
    }
    return list;
}

std::vector<SuspectLabel> suspects_of(const Brain& brain, const InputRows& in) {
    const bool judges = is_taught(brain) && brain.learner().name() == "fearnet-plus";
    return judges ? brain.suspect_labels(in.rows, in.labels) : std::vector<SuspectLabel>();
}

// What the brain says of each row now.
Json answers_json(const Brain& brain, const InputRows& in) {
    Json list = Json::array();
    if (!is_taught(brain) || in.rows.cols() != brain.width()) return list;
    apps::AnswerContent content;
    content.unknown_below = brain.settings().unknown;
    content.inputs = !in.names.empty();
    const std::size_t most = brain.rows_at_once();
    for (std::size_t first = 0; first < in.rows.rows(); first += most) {
        const MatrixView block = in.rows.view().slice(first, std::min(most, in.rows.rows() - first));
        const std::vector<BrainAnswer> answers = brain.predict(block);
        for (std::size_t i = 0; i < answers.size(); ++i)
            list.push_back(apps::as_json({answers[i], nullptr, nullptr, in.of_input[first + i],
                                          in.names.empty() ? std::string() : in.names[first + i]},
                                         content));
    }
    return list;
}

Response dry_run(const Call& call, const InputRows& in) {
    const std::shared_ptr<const Brain> brain = call.brain->snapshot();
    const std::vector<std::string> taught = brain->class_names();
    std::vector<std::string> fresh, known;
    for (const std::string& name : std::set<std::string>(in.labels.begin(), in.labels.end()))
        (std::binary_search(taught.begin(), taught.end(), name) ? known : fresh).push_back(name);
    return json_response({{"state", brain->changes()},
                          {"dry_run", true},
                          {"examples", in.rows.rows()},
                          {"new_classes", fresh},
                          {"known_classes", known},
                          {"suspects", suspects_json(suspects_of(*brain, in), in)},
                          {"unreadable", apps::as_json(in.unreadable)},
                          {"answers", answers_json(*brain, in)}},
                         *brain);
}

void learn(const Call& call, const std::shared_ptr<InputRows>& in) {
    const bool skip = query_flag(*call.request, "skip_suspicious");
    call.brain->change(
        "learn", call.request,
        [in, skip](Brain& brain, const Progress& progress) -> Json {
            const std::vector<SuspectLabel> suspects = suspects_of(brain, *in);
            const InputRows left = skip && !suspects.empty() ? without(suspects, *in) : InputRows();
            const InputRows& taught = skip && !suspects.empty() ? left : *in;
            LearnOutcome outcome;
            if (taught.rows.rows() > 0)
                outcome = brain.learn(taught.front_end, taught.rows, taught.labels, progress);
            return {{"examples", outcome.examples},
                    {"new_classes", outcome.new_classes},
                    {"known_classes", outcome.known_classes},
                    {"suspects", suspects_json(suspects, *in)},
                    {"skipped", skip ? suspects.size() : std::size_t{0}},
                    {"unreadable", apps::as_json(in->unreadable)},
                    {"learn_seconds", outcome.learn_seconds},
                    {"write_seconds", outcome.write_seconds},
                    {"sleep_due", brain.sleep_due().value_or("")}};
        },
        call.reply);
}

void require_class(const Brain& brain, const std::string& name) {
    const std::vector<std::string> names = brain.class_names();
    if (!std::binary_search(names.begin(), names.end(), name))
        throw Failure(404, "no class is called '" + name.substr(0, kMaxNameBytes) + "'; there are " +
                               std::to_string(names.size()) + " classes (info lists them)");
}

// A change that a JSON body of texts describes.
void edit(const Call& call, const char* what, const std::vector<std::string>& keys,
          const std::function<void(Brain&, const JsonBody&, const Progress&)>& work) {
    const JsonBody body = parse_json_body(call.request->body, keys);
    for (const std::string& key : keys) body.text(key);
    call.brain->change(
        what, call.request,
        [body, work](Brain& brain, const Progress& progress) -> Json {
            brain.refresh();
            work(brain, body, progress);
            return {};
        },
        call.reply);
}

}  // namespace

void handle_learn(const Call& call) {
    const std::shared_ptr<const Brain> brain = call.brain->snapshot();
    const auto inputs = std::make_shared<Inputs>(read_inputs(*call.request, brain->width()));
    if (inputs->labels.empty())
        throw Failure(400, "the request has no labels; give one for all with ?label=NAME");
    const bool dry = query_flag(*call.request, "dry_run");
    if (dry) refuse_many(*inputs);
    query_flag(*call.request, "skip_suspicious");
    if (!needs_embedding(*inputs) && !dry) {
        const auto in = std::make_shared<InputRows>(rows_of(std::move(*inputs), *call.brain, {}));
        learn(call, in);
        return;
    }
    const bool runs = call.app.workers().run([call, inputs, dry] {
        std::shared_ptr<InputRows> in;
        Response response =
            guarded(*call.request, call.brain->name(), call.brain->path().string(), [&]() -> Response {
                in = std::make_shared<InputRows>(
                    rows_of(std::move(*inputs), *call.brain, call.brain->progress_of("learn", call.request)));
                return dry ? dry_run(call, *in) : Response{};
            });
        if (!dry && response.status == 200) return learn(call, in);
        call.brain->ended("learn");
        call.reply(std::move(response));
    });
    if (!runs) throw Failure(503, "too much work waits; try again later");
}

void handle_sleep(const Call& call) {
    call.brain->change(
        "sleep", call.request,
        [](Brain& brain, const Progress& progress) -> Json {
            const auto start = Clock::now();
            const bool slept = brain.sleep({}, progress);
            return {{"slept", slept},
                    {"seconds", std::chrono::duration<double>(Clock::now() - start).count()}};
        },
        call.reply);
}

void handle_forget(const Call& call) {
    edit(call, "forget", {"label"}, [](Brain& brain, const JsonBody& body, const Progress& progress) {
        require_class(brain, body.text("label"));
        brain.forget(body.text("label"), progress);
    });
}

void handle_rename(const Call& call) {
    edit(call, "rename", {"from", "to"}, [](Brain& brain, const JsonBody& body, const Progress&) {
        require_class(brain, body.text("from"));
        const std::vector<std::string> names = brain.class_names();
        if (std::binary_search(names.begin(), names.end(), body.text("to")))
            throw Failure(409, "'" + body.text("to") + "' is already a class; merge combines the two");
        brain.rename(body.text("from"), body.text("to"));
    });
}

void handle_merge(const Call& call) {
    edit(call, "merge", {"from", "into"}, [](Brain& brain, const JsonBody& body, const Progress&) {
        require_class(brain, body.text("from"));
        require_class(brain, body.text("into"));
        brain.merge(body.text("from"), body.text("into"));
    });
}

}  // namespace fearnet::server
