// run_protocol: the paper's evaluation of a learner.
#include "arrays.hpp"
#include "interruptible.hpp"
#include "parts.hpp"

namespace fearnet::python {
namespace {

py::dict as_dict(const SessionAccuracy& a) {
    py::dict d;
    d["base"] = a.base, d["recent"] = a.recent, d["all"] = a.all;
    return d;
}

py::dict as_dict(const OmegaScores& o) {
    py::dict d;
    d["omega_base"] = o.omega_base, d["omega_new"] = o.omega_new, d["omega_all"] = o.omega_all;
    return d;
}

py::dict as_dict(const SessionRecord& s) {
    py::dict d;
    d["session"] = s.session;
    d["class_name"] = s.class_name;
    d["classes_seen"] = s.classes_seen;
    d["slept"] = s.slept;
    d["accuracy"] = as_dict(s.accuracy);
    d["offline"] = as_dict(s.offline);
    d["oracle"] = s.oracle ? py::object(as_dict(*s.oracle)) : py::none();
    d["memory_bytes"] = s.memory_bytes;
    d["seconds"] = s.seconds;
    return d;
}

py::dict as_dict(const RunRecord& r) {
    py::dict d = as_dict(r.omega);
    d["restricted"] = as_dict(r.omega_restricted);
    d["oracle"] = r.omega_oracle ? py::object(as_dict(*r.omega_oracle)) : py::none();
    d["offline_accuracy"] = r.offline_accuracy;
    d["final_accuracy"] = r.final_accuracy;
    py::list sessions;
    for (const SessionRecord& s : r.sessions) sessions.append(as_dict(s));
    d["sessions"] = sessions;
    d["learner"] = r.learner;
    d["seed"] = r.seed;
    d["base_classes"] = r.protocol.base_classes;
    d["sleep_every"] = r.protocol.sleep_every;
    d["memory"] = r.memory;
    d["seconds"] = r.seconds;
    d["options"] = r.options;
    return d;
}

Examples as_examples(const Rows& x, const Ids& labels, bool unit_length) {
    Examples e{Matrix(as_view(x)), as_ids(labels)};
    if (unit_length) scale_rows_to_unit_length(e.x);
    return e;
}

py::dict run(const Rows& x_train, const Ids& y_train, const Rows& x_test, const Ids& y_test,
             const std::vector<std::string>& names, const std::string& learner, const std::string& preset,
             const py::dict& settings, std::int64_t base_classes, std::int64_t sleep_every,
             std::int64_t evaluate_every, std::uint64_t seed, bool unit_length, const py::object& progress) {
    FeatureSet set;
    set.name = "evaluate_stream";
    set.train = as_examples(x_train, y_train, unit_length);
    set.test = as_examples(x_test, y_test, unit_length);
    set.names = names;
    RunOptions options;
    options.learner = {learner, preset, as_settings(settings), seed};
    options.protocol = {base_classes, sleep_every, evaluate_every};
    options.seed = seed;
    Watch watch(progress);
    RunRecord record;
    {
        const py::gil_scoped_release released;
        check_feature_set(set);
        constexpr std::size_t kWhole = 1000;
        record = run_protocol(set, options, [&](const RunProgress& p) {
            return watch.goes_on(p.what, static_cast<std::size_t>(p.fraction * kWhole), kWhole, 0);
        });
    }
    watch.rethrow();
    if (!record.finished) throw Cancelled("evaluate_stream");
    return as_dict(record);
}

}  // namespace

void add_stream(py::module_& m) {
    m.def("run_protocol", &run, py::arg("x_train"), py::arg("y_train"), py::arg("x_test"), py::arg("y_test"),
          py::arg("names"), py::arg("learner"), py::arg("preset"), py::arg("settings"),
          py::arg("base_classes"), py::arg("sleep_every"), py::arg("evaluate_every"), py::arg("seed"),
          py::arg("unit_length"), py::arg("progress") = py::none(),
          "Runs the paper's protocol on labels that are whole numbers; use fearnet.evaluate_stream.");
}

}  // namespace fearnet::python
