package run

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// cd changes the working directory as shells do: ".." takes away the name before it, even if that
// is a link.
func cd(r *runner, _ options, args []string) {
	name := args[0]
	var s spot
	err := try(func() { s = r.spot(name, true) })
	if r.s.Toolchain && errors.Is(err, errUnknown) {
		r.dir, r.logical = joined(r.dir, name), "" // it is there, or nothing after it is done
		return
	}
	check(err)
	logical := path.Clean(name)
	if !path.IsAbs(logical) {
		if r.logical == "" && slices.Contains(strings.Split(name, "/"), "..") {
			fail("%s is not known here, since WORKDIR leads through a link: write the full path", name)
		}
		logical = path.Join(r.logical, name)
	}
	if r.logical != "" || path.IsAbs(name) {
		s = r.spot(logical, true)
		r.logical = logical
	}
	if name == "-" || !s.is(layer.Dir) {
		fail("%s is not a directory", name)
	}
	r.dir = s.p
}
