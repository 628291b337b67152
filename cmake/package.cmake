# The Debian package of the program and its services: `cmake --build BUILD --target package`, or scripts/package.sh,
# which builds only what is in it. The libraries are not in it: its program is linked with static ones.
if(BUILD_SHARED_LIBS)
  return()
endif()
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(fearnet_maintainer "The FearNet maintainers <maintainers@fearnet.invalid>")
set(fearnet_doc ${CMAKE_INSTALL_DATADIR}/doc/fearnet)

# Only for the package: `cmake --install` leaves this component out, which has a file in /etc.
install(FILES ${packaging}/fearnet@.service ${packaging}/fearnet@.socket DESTINATION lib/systemd/system
        COMPONENT service EXCLUDE_FROM_ALL)
install(FILES ${packaging}/default DESTINATION /etc/default RENAME fearnet COMPONENT service EXCLUDE_FROM_ALL)
install(FILES README.md DESTINATION ${fearnet_doc} COMPONENT service EXCLUDE_FROM_ALL)
install(FILES LICENSE DESTINATION ${fearnet_doc} RENAME copyright COMPONENT service EXCLUDE_FROM_ALL)
string(TIMESTAMP fearnet_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${packaging}/changelog.in ${PROJECT_BINARY_DIR}/changelog.Debian)
install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian DESTINATION ${fearnet_doc} COMPONENT service EXCLUDE_FROM_ALL)
install(FILES CHANGELOG.md DESTINATION ${fearnet_doc} RENAME changelog COMPONENT service EXCLUDE_FROM_ALL)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES ${pages} DESTINATION ${fearnet_doc}/docs COMPONENT service EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fearnet)
set(CPACK_PACKAGE_VENDOR "The FearNet maintainers")
set(CPACK_PACKAGE_CONTACT "${fearnet_maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "classifier that learns new classes one at a time")
set(CPACK_PACKAGE_DESCRIPTION
"FearNet learns new classes of photographs, sounds, texts or rows of numbers one
at a time, on the device, without keeping old data and without forgetting. This
package has the program, with a server (fearnet serve) that systemd can run:
fearnet@NAME.service serves the brain /var/lib/fearnet/NAME.brain.")
set(CPACK_COMPONENTS_ALL program service)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${packaging}/gzip.cmake)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS passwd)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS npm)  # for fearnet models fetch
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${packaging}/postinst ${packaging}/prerm ${packaging}/postrm
    ${packaging}/conffiles)
include(CPack)
