// What a request asks about or teaches: rows of numbers, or photographs, sounds and texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"
#include "server/brains/brain_service.hpp"
#include "server/http/message.hpp"

namespace fearnet::server {

inline constexpr std::size_t kMostInputs = 100'000;  // files and texts of a request
inline constexpr std::size_t kMostRows = 1'000'000;  // rows of a request

struct Inputs {
    std::optional<Matrix> rows;
    std::vector<EmbedderInput> items;  // instead of rows; their contents lie in the body of the request
    std::vector<std::string> labels;   // none, one for all, or one for each

    std::size_t size() const { return rows ? rows->rows() : items.size(); }
};

// The inputs in the body. `width`: of the brain, 0 if it is not known. Throws Failure 400 or 415.
Inputs read_inputs(const Request& request, std::size_t width);

// Inputs as rows.
struct InputRows {
    Matrix rows;
    FrontEnd front_end;                 // that made them; without a name for numbers
    std::vector<std::size_t> of_input;  // of_input[i] is the input of row i
    std::vector<std::string> names;     // of the rows; empty for numbers
    std::vector<SkippedInput> unreadable;
    std::vector<std::string> labels;  // one per row, or empty
};

// Embeds files and texts. Throws Error if the brain does not take such inputs, if no input can be read, and
// Cancelled.
InputRows rows_of(Inputs inputs, const BrainService& service, const Progress& progress);

// Throws Failure 413 for more than kMostInputs rows: not every route can answer so many.
void refuse_many(const Inputs& inputs);

// Whether such a body must be embedded, which takes long.
bool needs_embedding(const Inputs& inputs);

// Numbers in the query: "top=3", "unknown=5%". Throw Failure 400 that names the parameter.
std::size_t query_count(const Request& request, const char* name, std::size_t if_missing, std::size_t most);
double query_share(const Request& request, const char* name, double if_missing, double low, double high);
bool query_flag(const Request& request, const char* name);

}  // namespace fearnet::server
