// Package shard divides a release among several machines.
//
// A [Plan] is made once, by [Divide], from what has to be compiled and how long that took before
// (package compile/times). Each of its shards is made by one command, on any machine and in any
// order, and ends with a part of the release; merge joins the parts. The plan has what it was made
// from, so that a shard of another commit, another slipway or another toolchain is refused.
package shard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// Plan divides what a release consists of. Equal inputs and weights give equal bytes.
type Plan struct {
	PlanVersion int    `json:"planVersion"` // of the file's format
	Name        string `json:"name"`        // the product's name
	Version     string `json:"version"`     // the product's version
	Channel     string `json:"channel,omitempty"`
	// Registries are host[/prefix] of the release, the primary one first; none for a snapshot.
	Registries []string `json:"registries"`
	// SourceDateEpoch is the time that was given to the release; zero if none was.
	SourceDateEpoch time.Time `json:"sourceDateEpoch,omitzero"`
	Go              string    `json:"go,omitempty"` // as in [lock.Lock]
	// Materials are what the release is made from: the archive of inputs, sources, toolchains and
	// slipway itself, sorted.
	Materials []lock.Material `json:"materials"`
	// Unit is what weights count: "seconds" of a processor, where it is known how long programs
	// took to compile, or "packages" to compile.
	Unit string `json:"unit"`
	// Total is the weight of all of it on one machine. The sum over the shards is greater by what
	// several of them compile.
	Total  float64 `json:"total"`
	Shards []Shard `json:"shards"`
}

// Shard is what one command makes.
type Shard struct {
	Number    int               `json:"number"` // from 0, as Kubernetes and GitHub count jobs
	Weight    float64           `json:"weight"`
	Images    []product.Portion `json:"images,omitempty"` // in the order of slipway.yaml
	Artifacts []product.Portion `json:"artifacts,omitempty"`
}

// Read reads a plan from a file.
func Read(path string) (*Plan, error) {
	var p Plan
	if err := stagefile.Plan.ReadGiven(path, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, stagefile.Plan.Invalid(err))
	}
	return &p, nil
}

// IsPlan reports whether a file is a plan.
func IsPlan(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64) // other files are not read: they may be large
	n, _ := io.ReadFull(f, head)
	if !bytes.Contains(head[:n], []byte(`"planVersion"`)) {
		return false
	}
	_, err = Read(path)
	return err == nil
}

// Decode reads a plan from the bytes of its file.
func Decode(text []byte) (*Plan, error) {
	var p Plan
	if err := stagefile.Plan.Decode(bytes.NewReader(text), &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, stagefile.Plan.Invalid(err)
	}
	return &p, nil
}

func (p *Plan) check() error {
	if len(p.Shards) == 0 {
		return errors.New("it has no shards")
	}
	for n, s := range p.Shards {
		switch {
		case s.Number != n:
			return fmt.Errorf("shard %d has the number %d", n, s.Number)
		case len(s.Images)+len(s.Artifacts) == 0:
			return fmt.Errorf("shard %d has neither images nor artifacts", n)
		}
	}
	return nil
}

// Encode returns the bytes of the plan's file.
func (p *Plan) Encode() ([]byte, error) { return stagefile.Plan.Encode(p) }

// Digest returns the SHA-256 of the plan's file in hex, which does not depend on the layout of the
// JSON.
func (p *Plan) Digest() (string, error) {
	b, err := p.Encode()
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// Share returns the contents of a shard. The number may come from a user.
func (p *Plan) Share(number int) (*product.Share, error) {
	if number < 0 || number >= len(p.Shards) {
		return nil, howto.Usage("-shard=%d: the plan has %d shards: name one of 0 to %d", number,
			len(p.Shards), len(p.Shards)-1)
	}
	s := p.Shards[number]
	return &product.Share{
		Name: fmt.Sprintf("shard %d of %d", number, len(p.Shards)), Images: s.Images,
		Artifacts: s.Artifacts, SourceDateEpoch: p.SourceDateEpoch,
	}, nil
}

// Part returns the reference to the plan in the part of a shard.
func (p *Plan) Part(number int) (*lock.Shard, error) {
	digest, err := p.Digest()
	return &lock.Shard{Plan: digest, Number: number, Of: len(p.Shards)}, err
}

// WriteTable prints the plan with the command of each shard.
func (p *Plan) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "")
	t.Row("SHARD\t%s\tMAKES", strings.ToUpper(p.Unit))
	for _, s := range p.Shards {
		weight := fmt.Sprintf("%.0f", s.Weight)
		number := fmt.Sprint(s.Number)
		for _, made := range []struct {
			what string
			all  []product.Portion
		}{{"", s.Images}, {"artifact ", s.Artifacts}} {
			for _, i := range made.all {
				var on []string
				for _, p := range i.Platforms {
					on = append(on, p.String())
				}
				t.Row("%s\t%s\t%s%s for %s", number, weight, made.what, i.Name, strings.Join(on, ", "))
				number, weight = "", ""
			}
		}
	}
	return t.Flush()
}

// Compare returns an error that names what differs if a release is not made from what the plan was
// made from. has lists some of the release's materials, or all of them.
func (p *Plan) Compare(has []lock.Material, toolchain string) error {
	planned := strings.Split(p.Go, lock.GoSeparator)
	other := func(version string) bool { return !slices.Contains(planned, version) }
	if toolchain != "" && p.Go != "" && slices.ContainsFunc(strings.Split(toolchain, lock.GoSeparator), other) {
		return fmt.Errorf("it was made with %s, and this machine has %s: install that version of Go, or plan again",
			p.Go, toolchain)
	}
	for _, m := range has {
		if err := p.material(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) material(m lock.Material) error {
	if _, err := lock.SameMaterials(p.Materials, []lock.Material{m}); err != nil {
		n := slices.IndexFunc(p.Materials, func(o lock.Material) bool { return o.URI == m.URI && o.Name == m.Name })
		return fmt.Errorf("it was made from %s %s, and here is %s: use what it was made from, or plan again", m.Title(),
			p.Materials[n].Identity(), m.Identity())
	}
	known := func(o lock.Material) bool { return o.URI == m.URI && o.Name == m.Name }
	if !slices.ContainsFunc(p.Materials, known) {
		return fmt.Errorf("it was made without %s %s: use what it was made from, or plan again",
			m.Title(), m.Identity())
	}
	return nil
}

// Same returns an error that names what differs if a run is of another release than the plan.
func (p *Plan) Same(o *product.Product) error {
	for _, f := range []struct{ what, plan, here string }{
		{"product", p.Name, o.Name},
		{"version", p.Version, o.Version},
		{"channel", cmp.Or(p.Channel, "none"), cmp.Or(o.Channel, "none")},
		{
			"registry", cmp.Or(strings.Join(p.Registries, ", "), "none"),
			cmp.Or(strings.Join(Registries(o), ", "), "none"),
		},
	} {
		if f.plan != f.here {
			return fmt.Errorf("its %s is %s, and that of this run is %s: use the plan of this release, or plan again",
				f.what, f.plan, f.here)
		}
	}
	return nil
}

// Registries returns the registries that a release of p is pushed to, the primary one first.
func Registries(p *product.Product) []string {
	all := []string{}
	for _, d := range p.Destinations {
		all = append(all, d.Registry)
	}
	return all
}
