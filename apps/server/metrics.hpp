// Counters of requests, as Prometheus reads them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fearnet::server {

class Application;

class Metrics {
  public:
    explicit Metrics(std::size_t routes);
    void count(std::size_t route, int status, double seconds);
    // Text format 0.0.4.
    std::string text(const Application& app) const;

  private:
    static constexpr std::array<double, 13> kBounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,    0.25,  0.5,    1,     5,    30};
    struct Route {
        std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets{};
        std::atomic<std::uint64_t> microseconds = 0;
    };
    std::vector<std::unique_ptr<Route>> routes_;
    mutable std::mutex mutex_;
    std::map<std::pair<std::size_t, int>, std::uint64_t> codes_;
};

}  // namespace fearnet::server
