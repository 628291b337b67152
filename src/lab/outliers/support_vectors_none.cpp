#include "lab/outliers/support_vectors.hpp"

namespace fearnet::lab {

SupportVectors find_support_vectors(MatrixView, double, double, const Progress&) {
    throw Error(
        "amygdala.kind=one-class-svm: this build has no libsvm; build with FEARNET_SVM=ON or choose "
        "another kind");
}

}  // namespace fearnet::lab
