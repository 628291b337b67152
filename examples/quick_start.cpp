#include <algorithm>
#include <fearnet/lab/all.hpp>
#include <iostream>

int main() {
    // Made-up data: class c lies around feature c.
    fearnet::Rng rng(1);
    const auto rows_of = [&](int c) {
        fearnet::Examples e{fearnet::Matrix(20, 8), std::vector<fearnet::ClassId>(20, fearnet::ClassId{c})};
        for (std::size_t i = 0; i < 20; ++i)
            for (std::size_t j = 0; j < 8; ++j)
                e.x(i, j) =
                    (static_cast<int>(j) == c ? 1.0f : 0.0f) + 0.1f * static_cast<float>(rng.normal());
        return e;
    };
    fearnet::Examples base = rows_of(0);
    const fearnet::Examples more = rows_of(1);
    base.x.resize_rows(40);
    std::copy_n(more.x.data(), more.x.size(), base.x.row(20));
    base.labels.insert(base.labels.end(), more.labels.begin(), more.labels.end());

    const auto made = fearnet::make_learner({.learner = "fearnet"});
    fearnet::Learner& learner = *made;
    learner.learn(base);        // the first session is the base knowledge
    learner.learn(rows_of(2));  // a new class: kept in the recent memory
    learner.sleep();            // moved into the network; the examples are deleted
    learner.learn(rows_of(3));  // and so on, for as many classes as come

    const fearnet::Examples test = rows_of(2);
    std::size_t right = 0;
    for (fearnet::ClassId id : learner.predict(test.x)) right += id == fearnet::ClassId{2};
    std::cout << right << " of 20 right, " << learner.memory().at("examples") << " bytes of examples kept\n";
}
