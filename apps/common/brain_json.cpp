#include "common/brain_json.hpp"

#include <limits>

namespace fearnet::apps {
namespace {

Json as_json(const BrainExplanation& e) {
    return {{"memory", name_of(e.memory)},
            {"recent_label", e.recent_label},
            {"recent_probability", e.recent_probability},
            {"consolidated_label", e.consolidated_label},
            {"consolidated_probability", e.consolidated_probability},
            {"router", e.router},
            {"psi", e.psi}};
}

constexpr std::size_t kAllClasses = std::numeric_limits<std::size_t>::max();

Json as_json(const ClassDrift& d) {
    return {{"since", d.since},
            {"rows", d.rows},
            {"familiarity", d.familiarity},
            {"p_value", d.p_value},
            {"changed", d.changed}};
}

Json number(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

std::size_t total_bytes(const MemoryUse& memory) {
    std::size_t sum = 0;
    for (const auto& [kind, bytes] : memory) sum += bytes;
    return sum;
}

const char* name_of(Memory memory) {
    return memory == Memory::recent ? "recent" : "consolidated";
}

std::vector<RankedClass> AnswerContent::ranked(const AnsweredRow& row) const {
    if (row.set == nullptr) return row.answer.top(classes);
    std::map<std::string, double> probability;
    for (const RankedClass& c : row.answer.top(kAllClasses)) probability[c.name] = c.probability;
    std::vector<RankedClass> result;
    for (const std::string& name : *row.set) result.push_back({name, probability.at(name)});
    return result;
}

Json as_json(const AnsweredRow& row, const AnswerContent& content) {
    Json list = Json::array();
    for (const RankedClass& c : content.ranked(row))
        list.push_back({{"label", c.name}, {"probability", c.probability}});
    Json j{{"row", row.row}, {"label", row.answer.label()}, {"classes", std::move(list)}};
    if (content.inputs) j.add("input", row.input);
    const std::optional<double> familiarity = row.answer.familiarity();
    j.add("familiarity", familiarity ? Json(*familiarity) : Json());
    j.add("unknown", content.is_unknown(row.answer));
    if (content.explain) j.add("explanation", row.explanation == nullptr ? Json() : as_json(*row.explanation));
    return j;
}

Json as_json(const BrainInfo& info, const std::map<std::string, double>& expected) {
    Json classes = Json::array(), history = Json::array();
    for (const BrainInfo::Class& c : info.classes) {
        Json entry{{"label", c.name},
                   {"examples", c.examples},
                   {"recent", c.recent},
                   {"consolidated", c.consolidated},
                   {"parts", c.parts}};
        if (const auto it = expected.find(c.name); it != expected.end())
            entry.add("expected_accuracy", it->second);
        if (c.predicted) entry.add("predicted", as_json(*c.predicted));
        if (c.taught_again) entry.add("taught_again", as_json(*c.taught_again));
        classes.push_back(std::move(entry));
    }
    for (const HistoryEntry& h : info.history)
        history.push_back({{"number", h.number},
                           {"time", h.time},
                           {"action", h.action},
                           {"detail", h.detail},
                           {"examples", h.examples},
                           {"seconds", h.seconds}});
    const FrontEnd& f = info.front_end;
    return {{"learner", info.learner},
            {"width", info.width},
            {"front_end", f.name.empty() ? Json() : Json{{"name", f.name}, {"fingerprint", f.fingerprint}}},
            {"classes", std::move(classes)},
            {"memory_bytes", info.memory},
            {"memory_total", total_bytes(info.memory)},
            {"file_bytes", info.file_bytes},
            {"sessions_since_sleep", info.sessions_since_sleep},
            {"sleep_due", info.sleep_due.value_or("")},
            {"history", std::move(history)},
            {"options", info.options}};
}

Json as_json(const BrainReview& review) {
    Json classes = Json::array(), maybe_one = Json::array();
    for (const BrainReview::Class& c : review.classes) {
        Json confusions = Json::array();
        for (const BrainReview::Confusion& k : c.confusions)
            confusions.push_back({{"with", k.with}, {"share", k.share}});
        classes.push_back({{"label", c.name},
                           {"examples", c.examples},
                           {"expected_accuracy", number(c.accuracy)},
                           {"standard_error", number(c.error)},
                           {"with_half", number(c.with_half)},
                           {"with_twice", number(c.with_twice)},
                           {"more_would_help", c.more_would_help()},
                           {"confusions", std::move(confusions)}});
    }
    for (const BrainReview::Pair& p : review.maybe_one)
        maybe_one.push_back({{"first", p.first}, {"second", p.second}, {"confused", p.confused}});
    return {{"learner", review.learner},
            {"estimated", review.estimated},
            {"classes", std::move(classes)},
            {"maybe_one", std::move(maybe_one)}};
}

Json as_json(const std::vector<SuspectLabel>& suspects, const std::vector<std::string>& inputs) {
    Json list = Json::array();
    for (const SuspectLabel& s : suspects) {
        Json entry{
            {"row", s.row}, {"label", s.label}, {"looks_like", s.looks_like}, {"probability", s.probability}};
        if (!inputs.empty()) entry.add("input", inputs[s.row]);
        list.push_back(std::move(entry));
    }
    return list;
}

Json as_json(const std::vector<SkippedInput>& skipped) {
    Json list = Json::array();
    for (const SkippedInput& s : skipped) list.push_back({{"input", s.name}, {"reason", s.reason}});
    return list;
}

}  // namespace fearnet::apps
