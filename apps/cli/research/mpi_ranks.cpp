// Rank 0 sends a job as text to a rank and gets progress back and, in the end, the outcome. Messages are
// short and rare; everybody sleeps between looking for them, so that the processors are free for the runs.
#include "research/mpi_ranks.hpp"

// Not the C++ interface that MPI 3 took away.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "interrupt.hpp"

namespace fearnet::cli {
namespace {

enum Tag { kJob = 1, kGiveUp, kEnd, kProgress, kOutcome };
constexpr auto kPause = std::chrono::milliseconds(50);

void send(const std::string& text, int rank, Tag tag) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag, MPI_COMM_WORLD);
}

struct Message {
    int tag = 0;
    std::string text;
};
// None when there is nothing to receive.
std::optional<Message> receive(int rank) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    Message message{status.MPI_TAG, std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Recv(message.text.data(), size, MPI_CHAR, rank, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
}

// The text of a job begins with the directory it is for, in a line of its own.
class RankSlot final : public Slot {
  public:
    RankSlot(int rank, std::filesystem::path directory) : rank_(rank), directory_(std::move(directory)) {}
    void start(const Job& job) override {
        fraction_ = 0;
        send(directory_.string() + "\n" + job_text(job), rank_, kJob);
    }
    std::optional<Outcome> poll() override {
        while (const std::optional<Message> message = receive(rank_)) {
            if (message->tag == kOutcome) return Outcome{message->text};
            fraction_ = std::strtod(message->text.c_str(), nullptr);
        }
        return std::nullopt;
    }
    double fraction() const override { return fraction_; }
    // The rank answers with an outcome, like any job's.
    void stop() override {
        send("", rank_, kGiveUp);
        while (!poll()) std::this_thread::sleep_for(kPause);
    }

  private:
    int rank_;
    std::filesystem::path directory_;
    double fraction_ = 0;
};

// One job in a child process; rank 0 hears how far it is, and may give it up. False when rank 0 ended.
bool do_one(const std::string& text) {
    const std::size_t line = text.find('\n');
    std::string problem;
    try {
        ProcessSlot slot(text.substr(0, line));
        slot.start(parse_job(text.substr(line + 1)));
        for (double said = 0;;) {
            if (const auto outcome = slot.poll()) {
                problem = outcome->problem;
                break;
            }
            if (const auto message = receive(0)) {  // to give up, or the end
                if (message->tag == kEnd) return false;
                problem = "given up";
                break;
            }
            if (slot.fraction() > said + 0.01) send(std::to_string(said = slot.fraction()), 0, kProgress);
            std::this_thread::sleep_for(kPause);
        }
    } catch (const std::exception& error) {
        problem = error.what();
    }
    send(problem, 0, kOutcome);
    return true;
}

int this_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
int all_ranks() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

}  // namespace

MpiRanks::MpiRanks() {
    MPI_Init(nullptr, nullptr);
}

MpiRanks::~MpiRanks() {
    if (first())
        for (int rank = 1; rank < all_ranks(); ++rank) send("", rank, kEnd);
    MPI_Finalize();
}

bool MpiRanks::first() const {
    return this_rank() == 0;
}

std::vector<std::unique_ptr<Slot>> MpiRanks::slots(const std::filesystem::path& directory) {
    std::vector<std::unique_ptr<Slot>> result;
    result.push_back(std::make_unique<ProcessSlot>(directory));
    for (int rank = 1; rank < all_ranks(); ++rank)
        result.push_back(std::make_unique<RankSlot>(rank, directory));
    return result;
}

void MpiRanks::serve() {
    const InterruptGuard guard;  // Ctrl-C is for rank 0, which tells us
    for (;;) {
        const std::optional<Message> message = receive(0);
        if (!message) {
            std::this_thread::sleep_for(kPause);
        } else if (message->tag == kEnd) {
            return;
        } else if (message->tag == kJob && !do_one(message->text)) {
            return;
        }
        // A "give up" that crossed the outcome on the way is too late and means nothing.
    }
}

}  // namespace fearnet::cli
