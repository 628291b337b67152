// A StreamVariant among the members of a JSON object: only what departs from the paper's stream.
#pragma once

#include "fearnet/lab/class_incremental_stream.hpp"

namespace fearnet::lab {

template <class Json>
void put_stream_variant(Json& object, const StreamVariant& variant) {
    if (variant.returning != 0) object["returning"] = variant.returning;
    if (variant.return_next) object["return_next"] = true;
    if (variant.withheld != 0) object["withheld"] = variant.withheld;
    if (variant.rows_per_class != 0) object["rows_per_class"] = variant.rows_per_class;
    if (variant.shift != 0) object["shift"] = variant.shift;
}

template <class Json>
StreamVariant get_stream_variant(const Json& object) {
    return {object.value("returning", 0.0), object.value("return_next", false), object.value("withheld", 0.0),
            object.value("rows_per_class", std::int64_t{0}), object.value("shift", 0.0)};
}

}  // namespace fearnet::lab
