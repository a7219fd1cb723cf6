package builder

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/platform"
)

// oldestPodman has --build-context, since August 2022.
const oldestPodman = "4.2.0"

// cleaning is how long the removal of a temporary image may take.
const cleaning = 30 * time.Second

// info is what podman info reports.
type info struct {
	Host struct {
		Arch     string   `json:"arch"`
		Buildah  string   `json:"buildahVersion"`
		Remote   bool     `json:"serviceIsRemote"`
		Emulated []string `json:"emulatedArchitectures"` // since podman 4.8: linux/arm64
	} `json:"host"`
	Version struct {
		Version string `json:"Version"`
	} `json:"version"`
}

// findPodman asks for the versions of podman and of its part that builds, buildah.
func findPodman(ctx context.Context, t *Tool) error {
	out, err := t.ask(ctx, "info", "--format=json")
	if err != nil {
		return err
	}
	var i info
	if err := json.Unmarshal([]byte(out), &i); err != nil || i.Version.Version == "" {
		return errors.New("podman info reports no version: upgrade podman")
	}
	if err := newEnough("podman", i.Version.Version, oldestPodman, "upgrade it"); err != nil {
		return err
	}
	t.Version = "podman " + clean(i.Version.Version)
	if i.Host.Buildah != "" {
		t.Version += "; Buildah " + clean(i.Host.Buildah)
	}
	t.runs = []platform.Platform{{OS: platform.Linux, Architecture: i.Host.Arch}}
	for _, name := range i.Host.Emulated {
		if p, err := platform.Parse(name); err == nil {
			t.runs = append(t.runs, p)
		}
	}
	if t.emulates = !i.Host.Remote; i.Host.Remote && len(i.Host.Emulated) == 0 {
		t.runs = nil // it does not tell
	}
	return nil
}

// buildPodman builds an image under a name of its own, saves it, and removes the name; and the
// image with its intermediate ones, unless it was there before.
func buildPodman(ctx context.Context, t Tool, r Request, dir string) error {
	before, err := t.ask(ctx, "images", "--all", "--quiet", "--no-trunc")
	if err != nil {
		return fmt.Errorf("builder podman: %w", err)
	}
	name := "localhost/slipway-" + strings.ToLower(rand.Text()) + ":build"
	defer t.remove(context.WithoutCancel(ctx), name, before)
	if err := t.lend(ctx, &r); err != nil {
		return fmt.Errorf("builder podman: building %s for %s: %w", r.shown(), r.Platform, err)
	}
	if err := t.run(ctx, r, podmanArgs(r, name), nil); err != nil {
		return err
	}
	if _, err := t.ask(ctx, "save", "--quiet", "--format=oci-dir", "--output="+dir, name); err != nil {
		return fmt.Errorf("builder podman: building %s for %s: %w", r.shown(), r.Platform, err)
	}
	return nil
}

// remove takes away the name of an image, if it is there, and the image with it unless before
// lists it.
func (t Tool) remove(ctx context.Context, name, before string) {
	ctx, cancel := context.WithTimeout(ctx, cleaning)
	defer cancel()
	id, err := t.ask(ctx, "images", "--quiet", "--no-trunc", name)
	if id = strings.TrimSpace(id); err != nil || id == "" {
		return
	}
	if slices.Contains(strings.Fields(before), id) {
		t.ask(ctx, "untag", id, name) //nolint:errcheck // it is a name of its own, which nobody asks for
		return
	}
	t.ask(ctx, "rmi", name) //nolint:errcheck // as above
}

// podmanArgs returns the arguments of podman build. Podman's cache is not used: its layers have the
// time of the build that made them, so that the image would depend on earlier builds.
// SOURCE_DATE_EPOCH is not in the environment: podman 5.6 and later refuse it together with
// --timestamp, and earlier ones have only that flag.
func podmanArgs(r Request, name string) []string {
	args := []string{
		"build", "--format=oci", "--layers", "--no-cache", "--platform=" + r.Platform.String(), "--file=" + r.File,
		"--timestamp=" + r.epoch(), "--identity-label=false", "--tag=" + name,
	}
	if r.Staged {
		args = append(args, "--ignorefile="+os.DevNull)
	}
	return append(args, r.flags()...)
}
