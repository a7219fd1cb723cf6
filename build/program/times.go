package program

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/build/times"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// graph is a file to which the go command writes how long each of its actions took: its flag
// -debug-actiongraph, which is not documented.
type graph struct{ dir string }

// newGraph makes a directory for the file. Without one, no times are known.
func (b *batch) newGraph() graph {
	in := b.store.Temp()
	if b.programs[0].Tree.Source.Sandbox.On() {
		in = b.temp
	}
	made, _ := disk.Temp(in)
	return graph{made}
}

// flags are those of go build.
func (g graph) flags() []string {
	if g.dir == "" {
		return nil
	}
	return []string{"-debug-actiongraph=" + g.file()}
}

func (g graph) file() string { return filepath.Join(g.dir, "actions.json") }

func (g graph) remove() {
	if g.dir != "" {
		os.RemoveAll(g.dir) // what is left the store sweeps
	}
}

// times returns the processor time of compilers and linkers for a system. What was current took
// none and is missing, as is everything if the go command did not write the file.
func (g graph) times(system string) *times.Weights {
	w := times.New()
	f, err := regular.Open(g.file())
	if err != nil {
		return w
	}
	defer f.Close()
	d := json.NewDecoder(f)
	if _, err := d.Token(); err != nil {
		return w
	}
	for d.More() {
		var a struct {
			Mode, Package   string
			CmdUser, CmdSys float64 // nanoseconds
		}
		if d.Decode(&a) != nil {
			return times.New()
		}
		seconds := (a.CmdUser + a.CmdSys) / 1e9
		switch {
		case seconds == 0:
		case a.Mode == "build":
			w.Took(times.Item{System: system, Path: a.Package, Kind: times.Package}, seconds)
		case a.Mode == "link":
			w.Took(times.Item{System: system, Path: a.Package, Kind: times.Program}, seconds)
		}
	}
	return w
}
