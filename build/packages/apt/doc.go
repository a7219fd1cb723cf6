// Package apt carries out the commands of Debian's package management on the files of a stage:
// apt-get, apt, dpkg and those that go with them. It is the [packages.Manager] of Debian and of the
// distributions that are made of it.
//
// Which packages a command adds, changes or removes is decided once, by slipway pin: it reads the
// sources, the keys and the preferences of the stage, verifies the indexes, and resolves as apt
// does (package debian). A release asks no index. It takes what packages.lock.yaml has for the
// command and for what is installed before it, each file by its SHA-256, and unpacks as dpkg does
// (package dpkg).
package apt
