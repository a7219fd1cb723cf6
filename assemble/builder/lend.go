package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
)

// nameKey is the annotation by which podman finds an image in a layout.
const nameKey = "org.opencontainers.image.ref.name"

// lend gives podman the images of layouts among the named contexts, which it does not read by their
// digests: it pulls them, as it pulls other bases, and keeps them as those. Their names depend on
// nothing but the image, since podman writes the name of a base into the history of an image.
func (t Tool) lend(ctx context.Context, r *Request) error {
	dir, done, err := scratch()
	if err != nil {
		return err
	}
	defer done()
	contexts := maps.Clone(r.Contexts)
	for n, named := range slices.Sorted(maps.Keys(r.Contexts)) {
		from, digest, ok := layout(r.Contexts[named])
		if !ok {
			continue
		}
		h, err := v1.NewHash(digest)
		if err != nil {
			return fmt.Errorf("context %s: the digest %q of an image in %s: %w", named, digest, from, err)
		}
		name := "localhost/slipway-base:" + h.Hex + strings.ReplaceAll("/"+r.Platform.String(), "/", "-")
		contexts[named] = imagePrefix + name
		if _, err := t.ask(ctx, "image", "exists", name); err == nil {
			continue
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
		at := filepath.Join(dir, strconv.Itoa(n))
		if err := alone(from, h, name, at); err != nil {
			return fmt.Errorf("context %s: %w", named, err)
		}
		if err := t.pull(ctx, at, name, r.Platform); err != nil {
			return fmt.Errorf("context %s: %w", named, err)
		}
	}
	r.Contexts = contexts
	return nil
}

// pull pulls the image of a layout, which has it alone, under a name.
func (t Tool) pull(ctx context.Context, at, name string, p platform.Platform) error {
	out, err := t.ask(ctx, "pull", "--quiet", "--platform="+p.String(), "oci:"+at+":"+name)
	if err != nil {
		return err
	}
	id := strings.TrimSpace(out)
	if _, err := t.ask(ctx, "tag", id, name); err != nil {
		return err
	}
	// Some releases name it after the path as well.
	t.ask(ctx, "untag", id, "localhost"+filepath.ToSlash(at)+":latest") //nolint:errcheck // usually there is none
	return nil
}

// alone makes a layout with one image of another one, whose blobs it has by a symbolic link.
func alone(from string, h v1.Hash, name, at string) error {
	raw, err := regular.ReadMost(filepath.Join(from, "blobs", h.Algorithm, h.Hex), oci.MaxManifest)
	if err != nil {
		return fmt.Errorf("the image %s is not in the layout %s: %w", h, from, err)
	}
	image, err := oci.Parse(v1.Descriptor{Digest: h, Size: int64(len(raw))}, raw)
	if err != nil {
		return err
	}
	image.Desc.Annotations = map[string]string{nameKey: name}
	index, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, Manifests: []v1.Descriptor{image.Desc}})
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(at); err != nil {
		return err
	}
	return errors.Join(
		disk.Write(filepath.Join(at, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), disk.ModeFile),
		disk.Write(filepath.Join(at, "index.json"), index, disk.ModeFile),
		os.Symlink(filepath.Join(from, "blobs"), filepath.Join(at, "blobs")))
}
