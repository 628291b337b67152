#include "fearnet/lab/class_incremental_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fearnet/error.hpp"
#include "fearnet/options.hpp"
#include "fearnet/rng.hpp"

namespace fearnet::lab {
namespace {

// The class order has its own random stream, so that no other use of the seed changes it.
constexpr std::uint64_t kOrderStream = 0x6f72646572;     // "order"
constexpr std::uint64_t kReturnStream = 0x72657475726e;  // "return"
constexpr std::uint64_t kShiftStream = 0x7368696674;     // "shift"

std::vector<std::vector<std::size_t>> rows_by_class(const Examples& examples, std::size_t classes) {
    std::vector<std::vector<std::size_t>> rows(classes);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto c = static_cast<std::size_t>(index_of(examples.labels[i]));
        assert(c < classes);
        rows[c].push_back(i);
    }
    return rows;
}

void check_groups(const FeatureSet& set, const StreamOptions& options) {
    std::vector<bool> met(set.classes(), false);
    std::size_t members = 0;
    std::int64_t sum = 0;
    for (const BaseGroup& group : options.base_groups) {
        if (group.base < 0 || group.base > static_cast<std::int64_t>(group.classes.size()))
            throw Error("base groups: " + std::to_string(group.base) + " base classes of a group of " +
                        std::to_string(group.classes.size()));
        sum += group.base;
        members += group.classes.size();
        for (const ClassId c : group.classes) {
            const auto i = static_cast<std::size_t>(index_of(c));
            if (index_of(c) < 0 || i >= met.size() || met[i])
                throw Error("base groups: class " + std::to_string(index_of(c)) +
                            " is not one of the set's classes or occurs twice");
            met[i] = true;
        }
    }
    if (members != set.classes())
        throw Error("base groups: they hold " + std::to_string(members) + " of the " +
                    std::to_string(set.classes()) + " classes in " + set.name + "; must hold every one");
    if (options.base_classes != 0 && options.base_classes != sum)
        throw Error("base classes: " + std::to_string(options.base_classes) + " but the groups add up to " +
                    std::to_string(sum));
}

std::int64_t base_classes_of(const FeatureSet& set, const StreamOptions& options) {
    if (options.base_groups.empty())
        return options.base_classes == 0 ? static_cast<std::int64_t>(set.classes()) / 2
                                         : options.base_classes;
    check_groups(set, options);
    std::int64_t sum = 0;
    for (const BaseGroup& group : options.base_groups) sum += group.base;
    return sum;
}

// Moves the first classes of each group to the front and leaves the order as it is otherwise.
void draw_from_groups(const std::vector<BaseGroup>& groups, std::vector<ClassId>& order) {
    std::vector<std::size_t> group_of(order.size());
    std::vector<std::int64_t> left;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        left.push_back(groups[g].base);
        for (const ClassId c : groups[g].classes) group_of[static_cast<std::size_t>(index_of(c))] = g;
    }
    std::vector<ClassId> base, later;
    for (const ClassId c : order)
        (left[group_of[static_cast<std::size_t>(index_of(c))]]-- > 0 ? base : later).push_back(c);
    order = std::move(base);
    order.insert(order.end(), later.begin(), later.end());
}

std::size_t rounded_share(double share, std::size_t all) {
    return static_cast<std::size_t>(share * static_cast<double>(all) + 0.5);
}

// Removes `share` of all rows of a class from `rows`, but leaves at least one.
std::vector<std::size_t> take_share(std::vector<std::size_t>& rows, std::size_t all, double share) {
    const std::size_t taken = std::min(rounded_share(share, all), rows.size() - 1);
    const auto first = rows.end() - static_cast<std::ptrdiff_t>(taken);
    std::vector<std::size_t> result(first, rows.end());
    rows.erase(first, rows.end());
    return result;
}

std::vector<double> deviations(const Matrix& x) {
    const auto n = static_cast<double>(x.rows());
    std::vector<double> sum(x.cols()), squares(x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < x.cols(); ++j) sum[j] += static_cast<double>(x(i, j)) / n;
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < x.cols(); ++j) {
            const double off = static_cast<double>(x(i, j)) - sum[j];
            squares[j] += off * off / n;
        }
    for (double& s : squares) s = std::sqrt(s);
    return squares;
}

}  // namespace

void check_stream_variant(StreamVariant variant) {
    for (const OptionText& option : list_options(variant)) option.parse(option.value);
    if (!(variant.returning + variant.withheld < 1))
        throw Error("returning rows: " + std::to_string(variant.returning) + " of every class, and " +
                    std::to_string(variant.withheld) + " withheld; together they must be less than 1");
    if (variant.returning == 0 && (variant.shift > 0 || variant.return_next))
        throw Error(std::string(variant.shift > 0 ? "a shift" : "a return in the next session") +
                    " applies to returning rows, but their share is 0; give --returning too");
}

ClassIncrementalStream::ClassIncrementalStream(const FeatureSet& set, const StreamOptions& options)
    : set_(&set) {
    const auto classes = static_cast<std::int64_t>(set.classes());
    const std::int64_t base = base_classes_of(set, options);
    if (base < 1 || base >= classes)
        throw Error("base classes: " + std::to_string(base) + " of the " + std::to_string(classes) +
                    " classes in " + set.name + "; must be at least 1 and leave at least 1 to learn later");
    base_ = static_cast<std::size_t>(base);
    for (std::int64_t c = 0; c < classes; ++c) order_.push_back(ClassId{static_cast<std::int32_t>(c)});
    Rng(options.seed).fork(kOrderStream).shuffle(std::span<ClassId>(order_));
    if (!options.base_groups.empty()) draw_from_groups(options.base_groups, order_);
    train_rows_ = rows_by_class(set.train, set.classes());
    test_rows_ = rows_by_class(set.test, set.classes());
    returning_rows_.resize(set.classes());
    shifted_tests_.resize(set.classes());
    check_stream_variant(options.variant);
    if (options.variant != StreamVariant{}) split_rows(set, options);
}

void ClassIncrementalStream::split_rows(const FeatureSet& set, const StreamOptions& options) {
    const StreamVariant& variant = options.variant;
    return_next_ = variant.return_next;
    for (std::size_t c = 0; c < set.classes(); ++c) {
        std::vector<std::size_t>& rows = train_rows_[c];
        Rng(options.seed).fork(kReturnStream).fork(c).shuffle(std::span<std::size_t>(rows));
        if (variant.rows_per_class > 0)
            rows.resize(std::min(rows.size(), static_cast<std::size_t>(variant.rows_per_class)));
        const std::size_t all = rows.size();
        take_share(rows, all, variant.withheld);
        returning_rows_[c] = take_share(rows, all, variant.returning);
        if (variant.shift > 0) shifted_tests_[c] = rounded_share(variant.returning, test_rows_[c].size());
    }
    if (variant.shift == 0) return;
    Rng rng = Rng(options.seed).fork(kShiftStream);
    for (const double deviation : deviations(set.train.x))
        shift_.push_back(static_cast<float>(variant.shift * deviation * rng.normal()));
}

std::vector<ClassId> ClassIncrementalStream::classes_of(std::size_t number) const {
    if (number >= sessions())
        throw Error("ClassIncrementalStream: session " + std::to_string(number) + " of " +
                    std::to_string(sessions()));
    if (number == 0) return {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(base_)};
    return {order_[base_ + number - 1]};
}

std::vector<ClassId> ClassIncrementalStream::returning_in(std::size_t number) const {
    const std::size_t later = sessions() - 1;
    std::vector<ClassId> classes;
    if (number == 0) return classes;
    for (std::size_t i = 0; i < base_; ++i)
        if ((return_next_ ? 1 : 1 + i * later / base_) == number) classes.push_back(order_[i]);
    if (number > 1) classes.push_back(order_[base_ + number - 2]);
    if (number == later) classes.push_back(order_.back());  // there is no session after the last
    std::erase_if(classes,
                  [&](ClassId c) { return returning_rows_[static_cast<std::size_t>(index_of(c))].empty(); });
    return classes;
}

StudySession ClassIncrementalStream::session(std::size_t number) const {
    StudySession session{number, classes_of(number), {}};
    session.examples = select_rows(set_->train, train_rows_, session.classes);
    const std::vector<ClassId> returning = returning_in(number);
    if (returning.empty()) return session;
    const Examples more = select_rows(set_->train, returning_rows_, returning);
    const std::size_t first = session.examples.size();
    session.examples.x.resize_rows(first + more.size());
    std::copy_n(more.x.data(), more.x.size(), session.examples.x.row(first));
    for (std::size_t i = first; i < session.examples.x.rows(); ++i) shift(session.examples.x.row(i));
    session.examples.labels.insert(session.examples.labels.end(), more.labels.begin(), more.labels.end());
    return session;
}

Examples ClassIncrementalStream::test_rows(std::size_t first, std::size_t last) const {
    std::vector<ClassId> classes;
    for (std::size_t number = first; number <= last; ++number) {
        const std::vector<ClassId> more = classes_of(number);
        classes.insert(classes.end(), more.begin(), more.end());
    }
    Examples rows = select_rows(set_->test, test_rows_, classes);
    std::size_t end = 0;
    for (const ClassId c : classes) {
        const auto column = static_cast<std::size_t>(index_of(c));
        end += test_rows_[column].size();
        for (std::size_t i = end - shifted_tests_[column]; i < end; ++i) shift(rows.x.row(i));
    }
    return rows;
}

void ClassIncrementalStream::shift(float* row) const {
    for (std::size_t j = 0; j < shift_.size(); ++j) row[j] += shift_[j];
}

Examples ClassIncrementalStream::select_rows(const Examples& from,
                                             const std::vector<std::vector<std::size_t>>& by_class,
                                             const std::vector<ClassId>& classes) const {
    Examples out;
    for (const ClassId c : classes)
        out.labels.insert(out.labels.end(), by_class[static_cast<std::size_t>(index_of(c))].size(), c);
    out.x.resize(out.labels.size(), from.x.cols());
    std::size_t i = 0;
    for (const ClassId c : classes)
        for (const std::size_t row : by_class[static_cast<std::size_t>(index_of(c))])
            std::copy_n(from.x.row(row), from.x.cols(), out.x.row(i++));
    return out;
}

}  // namespace fearnet::lab
