// Questions: predict, review of labels, discover.
#include "common/brain_json.hpp"
#include "server/application.hpp"
#include "server/brains/failure.hpp"
#include "server/routes/inputs.hpp"
#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

using apps::Json;

constexpr std::size_t kMostAnswer = 100'000'000;  // bytes of a response that is not a stream

struct Wanted {
    std::size_t top = 1;
    double confidence = 0;  // 0: no sets
    double unknown = -1;    // -1: as the brain has it
    bool explain = false;
    bool lines = false;  // newline-delimited JSON
};

Wanted wanted_of(const Request& request) {
    constexpr std::size_t kMostClasses = 1'000'000;
    Wanted wanted;
    wanted.top = query_count(request, "top", 1, kMostClasses);
    wanted.confidence = query_share(request, "confidence", 0, 0.5, 0.999);
    wanted.unknown = query_share(request, "unknown", -1, 0, 0.5);
    wanted.explain = query_flag(request, "explain");
    wanted.lines = request.header("accept").find("application/x-ndjson") != std::string::npos;
    return wanted;
}

apps::AnswerContent content_of(const Wanted& wanted, const Brain& brain, bool inputs) {
    apps::AnswerContent content;
    content.classes = wanted.top;
    content.unknown_below = wanted.unknown < 0 ? brain.settings().unknown : wanted.unknown;
    content.inputs = inputs;
    content.explain = wanted.explain;
    return content;
}

void check_question(const Brain& brain, MatrixView rows) {
    if (!is_taught(brain)) throw Failure(409, "this brain has no classes yet; teach it first (learn)");
    if (rows.cols != brain.width())
        throw Failure(400, "rows have " + std::to_string(rows.cols) + " numbers but the brain expects " +
                               std::to_string(brain.width()));
    check_finite_rows(rows, "predict");
}

Response answered(const std::string& answers, std::int64_t state, const std::string& unreadable = "[]") {
    Response response;
    response.body.reserve(answers.size() + unreadable.size() + 64);
    response.body = "{\"state\":" + std::to_string(state) + ",\"answers\":[" + answers +
                    "],\"unreadable\":" + unreadable + "}\n";
    response.headers.push_back({"FearNet-State", std::to_string(state)});
    return response;
}

// The answers to a block of rows, one JSON text for each.
template <class Use>
void answer_block(const Brain& brain, const Wanted& wanted, const InputRows& in, std::size_t first,
                  MatrixView block, const Use& use) {
    const std::vector<BrainAnswer> answers = brain.predict(block);
    const std::vector<BrainExplanation> explained =
        wanted.explain ? brain.explain(block) : std::vector<BrainExplanation>();
    const std::vector<std::vector<std::string>> sets = wanted.confidence > 0
                                                           ? brain.label_sets(block, wanted.confidence)
                                                           : std::vector<std::vector<std::string>>();
    const apps::AnswerContent content = content_of(wanted, brain, !in.names.empty());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::size_t row = first + i;
        use(apps::as_json(
                {answers[i], explained.empty() ? nullptr : &explained[i], sets.empty() ? nullptr : &sets[i],
                 in.of_input[row], in.names.empty() ? std::string() : in.names[row]},
                content)
                .dump());
    }
}

template <class Use>
void for_blocks(const Call& call, const Brain& brain, MatrixView rows, const Use& use) {
    const std::size_t most = brain.rows_at_once();
    for (std::size_t first = 0; first < rows.rows; first += most) {
        if (call.request->cancellation->cancelled()) throw Cancelled("predict");
        use(first, rows.slice(first, std::min(most, rows.rows - first)));
    }
}

// Answers that are sent while others are computed, all of one state.
struct Lines {
    Call call;
    std::shared_ptr<const Brain> brain;
    Wanted wanted;
    InputRows in;
    std::shared_ptr<BodyStream> stream = std::make_shared<BodyStream>();
    std::size_t first = 0;  // row that is not answered yet
};

// Goes on until all lines are written. While the client does not read, other tasks have the thread.
void write_lines(const std::shared_ptr<Lines>& l) {
    constexpr std::size_t kMostWaiting = 4 << 20;  // bytes that the client has not read
    constexpr auto kPause = std::chrono::milliseconds(10);
    try {
        const std::size_t most = l->brain->rows_at_once(), count = l->in.rows.rows();
        while (l->first < count && !l->stream->closed() && !l->call.request->cancellation->cancelled()) {
            if (l->stream->write("") > kMostWaiting) {
                std::this_thread::sleep_for(kPause);
                if (l->call.app.workers().run([l] { write_lines(l); })) return;
                continue;
            }
            const MatrixView block = l->in.rows.view().slice(l->first, std::min(most, count - l->first));
            std::string lines;
            answer_block(*l->brain, l->wanted, l->in, l->first, block,
                         [&](const std::string& text) { lines += text + '\n'; });
            l->stream->write(printable_lines(lines));
            l->first += block.rows;
        }
    } catch (const std::exception&) {  // the stream ends early
    }
    l->stream->end();
}

Response answer_in_lines(const Call& call, const std::shared_ptr<const Brain>& brain, const Wanted& wanted,
                         InputRows in) {
    const auto lines = std::make_shared<Lines>(Lines{call, brain, wanted, std::move(in)});
    if (!call.app.workers().run([lines] { write_lines(lines); }))
        throw Failure(503, "too much work waits; try again later");
    return {.type = "application/x-ndjson",
            .headers = {{"FearNet-State", std::to_string(brain->changes())}},
            .stream = lines->stream};
}

}  // namespace

void handle_predict(const Call& call) {
    const Wanted wanted = wanted_of(*call.request);
    const std::shared_ptr<const Brain> brain = call.brain->snapshot();
    Inputs inputs = read_inputs(*call.request, brain->width());
    const bool quick = inputs.rows && inputs.rows->rows() <= PredictionQueue::kMostRows &&
                       wanted.confidence == 0 && !wanted.explain && !wanted.lines;
    if (quick) {
        check_question(*brain, *inputs.rows);
        call.brain->ask(
            {std::move(*inputs.rows),
             [call, wanted](const PredictedRows& predicted) {
                 call.reply(guarded(*call.request, "", "", [&] {
                     const apps::AnswerContent content = content_of(wanted, predicted.brain, false);
                     std::string answers;
                     for (std::size_t i = 0; i < predicted.answers.size(); ++i)
                         answers +=
                             (i == 0 ? "" : ",") +
                             apps::as_json({predicted.answers[i], nullptr, nullptr, i}, content).dump();
                     return answered(answers, predicted.brain.changes());
                 }));
             },
             [call](std::exception_ptr problem) {
                 call.reply(
                     guarded(*call.request, "", "", [&]() -> Response { std::rethrow_exception(problem); }));
             }});
        return;
    }
    const auto shared = std::make_shared<Inputs>(std::move(inputs));
    run_later(call, [call, wanted, shared]() -> Response {
        InputRows in =
            rows_of(std::move(*shared), *call.brain, call.brain->progress_of("predict", call.request));
        const std::shared_ptr<const Brain> now = call.brain->snapshot();
        check_question(*now, in.rows);
        if (wanted.confidence > 0) now->label_sets(MatrixView(in.rows).slice(0, 1), wanted.confidence);
        if (wanted.lines) return answer_in_lines(call, now, wanted, std::move(in));
        Json json{{"state", now->changes()}};
        std::string answers;
        for_blocks(call, *now, in.rows, [&](std::size_t first, MatrixView block) {
            answer_block(*now, wanted, in, first, block,
                         [&](const std::string& text) { answers += (answers.empty() ? "" : ",") + text; });
            if (answers.size() > kMostAnswer)
                throw Failure(413,
                              "the answer has more than 100 MB; ask about fewer rows at once, or for "
                              "application/x-ndjson");
        });
        Response response = answered(answers, now->changes(), apps::as_json(in.unreadable).dump());
        response.body = printable_lines(response.body);
        return response;
    });
}

void handle_review_labels(const Call& call) {
    const auto inputs = std::make_shared<Inputs>(read_inputs(*call.request, call.brain->snapshot()->width()));
    if (inputs->labels.empty())
        throw Failure(400, "the request has no labels; give one for all with ?label=NAME");
    refuse_many(*inputs);
    run_later(call, [call, inputs] {
        const InputRows in =
            rows_of(std::move(*inputs), *call.brain, call.brain->progress_of("review", call.request));
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        if (!is_taught(*brain)) throw Failure(409, "this brain has no classes yet; teach it first (learn)");
        const std::vector<SuspectLabel> suspects = brain->suspect_labels(in.rows, in.labels);
        return json_response({{"state", brain->changes()},
                              {"rows", in.rows.rows()},
                              {"suspects", apps::as_json(suspects, in.names)},
                              {"unreadable", apps::as_json(in.unreadable)}},
                             *brain);
    });
}

void handle_discover(const Call& call) {
    DiscoverOptions options;
    options.below = query_share(*call.request, "below", options.below, 1e-6, 1);
    options.min_rows = query_count(*call.request, "min_rows", options.min_rows, 1'000'000);
    const auto inputs = std::make_shared<Inputs>(read_inputs(*call.request, call.brain->snapshot()->width()));
    refuse_many(*inputs);
    run_later(call, [call, inputs, options] {
        const InputRows in =
            rows_of(std::move(*inputs), *call.brain, call.brain->progress_of("discover", call.request));
        const std::shared_ptr<const Brain> brain = call.brain->snapshot();
        check_question(*brain, in.rows);
        Json groups = Json::array();
        for (const DiscoveredGroup& group : brain->discover(in.rows, options)) {
            Json rows = Json::array();
            for (const std::size_t row : group.rows) rows.push_back(in.of_input[row]);
            groups.push_back(
                {{"rows", std::move(rows)}, {"spread", group.spread}, {"nearest", group.nearest}});
        }
        return json_response({{"state", brain->changes()},
                              {"rows", in.rows.rows()},
                              {"groups", std::move(groups)},
                              {"unreadable", apps::as_json(in.unreadable)}},
                             *brain);
    });
}

}  // namespace fearnet::server
