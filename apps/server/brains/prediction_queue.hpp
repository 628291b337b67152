// Predictions of few rows: those that arrive while others are computed are answered together, since a batch
// costs little more than a row.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "fearnet/brain.hpp"

namespace fearnet::server {

// All answers of a question are of one state of the brain.
struct PredictedRows {
    const Brain& brain;
    std::span<const BrainAnswer> answers;
};

struct Question {
    Matrix rows;  // as wide as the brain, finite
    // Called on the thread of the queue; must not throw.
    std::function<void(const PredictedRows&)> answer;
    std::function<void(std::exception_ptr)> fail;
};

class PredictionQueue {
  public:
    // The most rows of a question; more would make others wait.
    static constexpr std::size_t kMostRows = 64;

    // `snapshot` gives the brain to ask.
    explicit PredictionQueue(std::function<std::shared_ptr<const Brain>()> snapshot);
    // Answers all questions.
    ~PredictionQueue();
    PredictionQueue(const PredictionQueue&) = delete;
    PredictionQueue& operator=(const PredictionQueue&) = delete;

    void ask(Question question);

  private:
    void work();
    void answer(std::vector<Question>& questions);

    std::function<std::shared_ptr<const Brain>()> snapshot_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Question> waiting_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace fearnet::server
