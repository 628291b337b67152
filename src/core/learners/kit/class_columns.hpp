// Which column of a learner's scores belongs to which class: columns in the order the classes were first met.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fearnet/matrix.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

class ClassColumns {
  public:
    // The column of every label; classes not met before get the next ones.
    std::vector<std::int32_t> add(std::span<const ClassId> labels);

    // The columns after it move up by one. The class must be there.
    void remove(ClassId id);
    std::size_t column_of(ClassId id) const { return static_cast<std::size_t>(column_.at(id)); }

    std::size_t size() const { return ids_.size(); }
    bool empty() const { return ids_.empty(); }
    ClassId operator[](std::size_t column) const { return ids_[column]; }
    std::vector<ClassId> ascending() const;

    void save(State& state) const;
    // Throws Error for a class that stands there twice or is negative.
    static ClassColumns load(const State& state);

  private:
    std::vector<ClassId> ids_;  // by column
    std::map<ClassId, std::int32_t> column_;
};

}  // namespace fearnet
