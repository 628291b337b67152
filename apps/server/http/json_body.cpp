#include "server/http/json_body.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "fearnet/error.hpp"
#include "server/brains/failure.hpp"

namespace fearnet::server {
namespace {

// Fills the body while the text is parsed, so that rows are never held as JSON.
class Reader {
  public:
    Reader(JsonBody& body, const std::vector<std::string>& keys) : body_(body), keys_(keys) {}

    bool null() { return wrong("null"); }
    bool boolean(bool value) { return scalar(value ? "true" : "false"); }
    bool number_integer(std::int64_t value) {
        return number(static_cast<double>(value), std::to_string(value));
    }
    bool number_unsigned(std::uint64_t value) {
        return number(static_cast<double>(value), std::to_string(value));
    }
    bool number_float(double value, const std::string& text) { return number(value, text); }
    bool string(std::string& value) { return in_rows() ? wrong("a text") : scalar(value); }
    bool binary(nlohmann::json::binary_t&) { return wrong("bytes"); }
    bool start_object(std::size_t) {
        if (depth_ == 0) return ++depth_, true;
        if (depth_ != 1 || in_rows()) return wrong("an object");
        in_object_ = true;
        body_.objects[key_];
        return ++depth_, true;
    }
    bool key(std::string& name) {
        if (depth_ == 2) {
            inner_key_ = name;
            return true;
        }
        key_ = name;
        if (!seen_.insert(name).second)
            throw Failure(400, "the JSON body has the key '" + name.substr(0, kMaxNameBytes) + "' twice");
        if (std::find(keys_.begin(), keys_.end(), name) != keys_.end()) return true;
        std::string known;
        for (const std::string& k : keys_) known += (known.empty() ? "" : ", ") + k;
        throw Failure(400,
                      "the JSON body has a key '" + name.substr(0, kMaxNameBytes) + "'; known are: " + known);
    }
    bool end_object() {
        in_object_ = false;
        return --depth_, true;
    }
    bool start_array(std::size_t) {
        if (depth_ == 0)
            throw Failure(400,
                          "the JSON body is an array; it must be an object, such as {\"rows\": [[1, 2]]}");
        if (in_object_ || depth_ > (in_rows() ? 2 : 1)) return wrong("an array");
        if (in_rows() && depth_ == 2) in_row_ = true, row_begin_ = numbers_.size();
        return ++depth_, true;
    }
    bool end_array() {
        --depth_;
        if (in_row_) {
            in_row_ = false;
            const std::size_t count = numbers_.size() - row_begin_;
            if (rows_ == 0) width_ = count;
            if (count != width_)
                throw Failure(400, "rows: row " + std::to_string(rows_) + " has " + std::to_string(count) +
                                       " numbers, but row 0 has " + std::to_string(width_));
            ++rows_;
        } else if (in_rows() && depth_ == 1) {
            if (rows_ > 0 && width_ == 0)
                throw Failure(400, "rows: row 0 has 0 numbers; at least 1 is needed");
            Matrix rows(rows_, width_);
            std::copy(numbers_.begin(), numbers_.end(), rows.data());
            body_.rows = std::move(rows);
            numbers_ = {};
        } else if (depth_ == 1) {
            body_.lists[key_];  // also an empty one
        }
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
        throw Failure(400, "the body is not JSON (byte " + std::to_string(position) + ")");
    }

  private:
    bool in_rows() const { return key_ == "rows"; }

    bool number(double value, const std::string& text) {
        if (!in_rows()) return scalar(text);
        if (!in_row_) return wrong("a number");
        numbers_.push_back(static_cast<float>(value));
        return true;
    }

    bool scalar(const std::string& value) {
        if (depth_ == 0 || in_rows()) return wrong("a single value");
        if (in_object_)
            body_.objects[key_][inner_key_] = value;
        else if (depth_ == 2)
            body_.lists[key_].push_back(value);
        else
            body_.texts[key_] = value;
        return true;
    }

    [[noreturn]] bool wrong(const std::string& found) const {
        if (depth_ == 0) throw Failure(400, "the JSON body is " + found + "; it must be an object");
        throw Failure(
            400,
            (in_rows() ? "rows: must be an array of arrays of numbers, but has " : key_ + ": has ") + found);
    }

    JsonBody& body_;
    const std::vector<std::string>& keys_;
    std::string key_, inner_key_;
    std::set<std::string> seen_;
    int depth_ = 0;
    bool in_object_ = false, in_row_ = false;
    std::vector<float> numbers_;
    std::size_t row_begin_ = 0, rows_ = 0, width_ = 0;
};

}  // namespace

const std::string& JsonBody::text(const std::string& key) const {
    const auto at = texts.find(key);
    if (at == texts.end()) throw Failure(400, "the JSON body needs the key '" + key + "' with a text");
    return at->second;
}

JsonBody parse_json_body(const std::string& body, const std::vector<std::string>& keys) {
    JsonBody parsed;
    Reader reader(parsed, keys);
    if (body.empty()) throw Failure(400, "the body is empty; it must be a JSON object");
    nlohmann::json::sax_parse(body, &reader);
    return parsed;
}

}  // namespace fearnet::server
