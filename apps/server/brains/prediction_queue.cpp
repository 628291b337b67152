#include "server/brains/prediction_queue.hpp"

#include <algorithm>

#include "fearnet/threads.hpp"

namespace fearnet::server {

PredictionQueue::PredictionQueue(std::function<std::shared_ptr<const Brain>()> snapshot)
    : snapshot_(std::move(snapshot)), thread_([this] { work(); }) {}

PredictionQueue::~PredictionQueue() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void PredictionQueue::ask(Question question) {
    bool first = false;
    {
        const std::lock_guard lock(mutex_);
        first = waiting_.empty();
        waiting_.push_back(std::move(question));
    }
    if (first) changed_.notify_one();
}

void PredictionQueue::work() {
    set_threads(1);
    std::vector<Question> questions;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        questions.swap(waiting_);
        lock.unlock();
        answer(questions);
        questions.clear();
        lock.lock();
    }
}

void PredictionQueue::answer(std::vector<Question>& questions) {
    constexpr std::size_t kAtOnce = 256;  // rows
    for (std::size_t begin = 0, end = 0; begin < questions.size(); begin = end) {
        const std::shared_ptr<const Brain> brain = snapshot_();
        std::size_t rows = 0;
        // Of one width: the file of the brain may have been replaced between two questions.
        const std::size_t width = questions[begin].rows.cols();
        while (end < questions.size() && questions[end].rows.cols() == width &&
               (end == begin || rows + questions[end].rows.rows() <= kAtOnce))
            rows += questions[end++].rows.rows();
        std::vector<BrainAnswer> answers;
        try {
            if (end == begin + 1) {
                answers = brain->predict(MatrixView(questions[begin].rows));
            } else {
                Matrix all(rows, width);
                float* at = all.data();
                for (std::size_t i = begin; i < end; ++i)
                    at = std::copy_n(questions[i].rows.data(), questions[i].rows.size(), at);
                answers = brain->predict(MatrixView(all));
            }
        } catch (...) {
            for (std::size_t i = begin; i < end; ++i) questions[i].fail(std::current_exception());
            continue;
        }
        std::size_t at = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t count = questions[i].rows.rows();
            questions[i].answer({*brain, std::span(answers).subspan(at, count)});
            at += count;
        }
    }
}

}  // namespace fearnet::server
