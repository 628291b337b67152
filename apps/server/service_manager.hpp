// What systemd passes to services and hears from them, without its library: sd_listen_fds(3), sd_notify(3).
#pragma once

#include <string>

namespace fearnet::server {

// The socket that was opened for this process; -1 if there is none. Throws Error if there are several.
int inherited_socket();

// "READY=1", "STOPPING=1", "STATUS=..."; does nothing outside of a service manager.
void notify_service_manager(const std::string& state);

}  // namespace fearnet::server
