// Package lifecycle makes the buildpacks lifecycle image in the form that kpack's controller
// loads (github.com/pivotal/kpack/pkg/config.LifecycleProvider): one manifest with a Linux
// and a Windows layer, labels "linux" and "windows" that name the layers by their diff IDs, and
// the label io.buildpacks.lifecycle.metadata with the version and the APIs.
//
// kpack mounts one of the layers into the builder images it makes, so each layer is complete
// by itself: /cnb/lifecycle and nothing else. The layers must be compressed by gzip, because kpack
// writes them with Docker's media type for gzip.
package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Root is where the lifecycle is in a builder.
const Root = "/cnb/lifecycle"

// Program is a main package of the lifecycle's module under the name it has in the image.
type Program struct{ Name, Package string }

// Programs are the main packages that an image is made of.
var Programs = []Program{{"launcher", "./cmd/launcher"}, {"lifecycle", "./cmd/lifecycle"}}

// phases are names under which the program lifecycle is called; it looks at its own name to know
// which phase to run (lifecycle.mk, "Creating lifecycle symlinks").
var phases = []string{"analyzer", "builder", "creator", "detector", "exporter", "rebaser", "restorer"}

// linuxPhases work with containers that only Linux has.
var linuxPhases = []string{"extender"}

// Systems are the platforms that the image has layers for, in the order of its layers.
var Systems = []platform.Platform{
	{OS: platform.Linux, Architecture: "amd64"},
	{OS: platform.Windows, Architecture: "amd64"},
}

// Files are the compiled programs for one system, by name without .exe.
type Files map[string]layer.Content

// Layer writes the layer of [Entries] for one operating system.
func Layer(ctx context.Context, st *store.Store, os string, entries []layer.Entry) (layer.Layer, error) {
	return layer.Write(ctx, st, entries, layer.Options{
		OS: os, Compression: layer.Gzip, ModTime: layer.Epoch, Series: "lifecycle " + os,
	})
}

// Entries returns the files of the layer for one operating system. On Linux the phases are symbolic
// links, as in the lifecycle's own releases; on Windows hard links, since reading a symbolic link
// there takes a privilege that a build's user lacks.
func Entries(os string, files Files) ([]layer.Entry, error) {
	entries := []layer.Entry{{Path: Root, Type: layer.Dir, Mode: 0o755}}
	ext, names := "", phases
	link := func(phase string) layer.Entry {
		return layer.Entry{Path: Root + "/" + phase, Type: layer.Symlink, Linkname: "lifecycle"}
	}
	if os == platform.Windows {
		ext = ".exe"
		link = func(phase string) layer.Entry {
			return layer.Entry{
				Path: Root + "/" + phase + ".exe", Type: layer.Hardlink,
				Linkname: Root + "/lifecycle.exe", Mode: 0o755,
			}
		}
	} else {
		names = append(names[:len(names):len(names)], linuxPhases...)
	}
	for _, p := range Programs {
		c, ok := files[p.Name]
		if !ok {
			return nil, fmt.Errorf("lifecycle for %s: program %s is missing", os, p.Name)
		}
		entries = append(entries, layer.Entry{Path: Root + "/" + p.Name + ext, Mode: 0o755, Content: c})
	}
	for _, phase := range names {
		entries = append(entries, link(phase))
	}
	return entries, nil
}

// Labels returns the labels that kpack looks for.
func Labels(m Metadata, linux, windows layer.Layer) (map[string]string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"linux":                            linux.DiffID.String(),
		"windows":                          windows.DiffID.String(),
		"io.buildpacks.lifecycle.metadata": string(b),
	}, nil
}
