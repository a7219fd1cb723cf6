package scaffold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Read makes the draft of a repository, which Close ends. No file is written.
func Read(ctx context.Context, dir string, o Options) (*Draft, error) {
	if o.Name != "" && nameOf(o.Name) != o.Name {
		return nil, howto.Usage("-name=%s is not the name of a product: write lower-case letters, digits and . _ -, "+
			"such as %s", o.Name, cmp.Or(nameOf(o.Name), "app"))
	}
	if fault := product.VersionFault(o.Version); fault != "" {
		return nil, howto.Usage("-version=%s %s", o.Version, fault)
	}
	for _, p := range o.Platforms {
		on, err := platform.Parse(p)
		if err == nil {
			err = on.Check()
		}
		if err != nil {
			return nil, howto.Usage("-platforms: %w", err)
		}
	}
	if _, err := time.Parse(time.RFC3339, o.Created); o.Created != "" && err != nil {
		return nil, howto.Usage("-created=%s is not a time: write one such as 2025-01-16T21:57:50Z", o.Created)
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := regular.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, cause(err))
	}
	d, err := readRoot(ctx, root, dir, full, o)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	d.tree.root = root
	return d, nil
}

// readRoot makes the draft of a directory that is open. dir is how the user names it.
func readRoot(ctx context.Context, root *regular.Root, dir, full string, o Options) (*Draft, error) {
	_, noFile := root.Lstat(product.File)
	if noFile == nil {
		o.Ask = nil // nothing is written
	}
	head, err := git.Head(ctx, full)
	inGit := err == nil
	if inGit {
		o.remote, err = git.Remote(ctx, full)
		if err == nil {
			o.tags, err = git.TagsUpTo(ctx, full, head.Hash)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", dir, err)
		}
	}
	d, err := read(root.FS(), full, inGit, o)
	if noFile == nil {
		text := fmt.Sprintf("%s already exists, and is not overwritten: remove it to begin again",
			filepath.Join(dir, product.File))
		if err == nil {
			text = strings.Join(append([]string{text}, d.since()...), "\n")
		}
		return nil, errors.New(text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", dir, err)
	}
	return d, ctx.Err()
}

// Close ends the reading of the repository.
func (d *Draft) Close() error {
	if d.tree.root == nil {
		return nil
	}
	return d.tree.root.Close()
}

// read makes the draft of the files of a repository. dir only gives it a name.
func read(fsys fs.FS, dir string, git bool, o Options) (*Draft, error) {
	o.Answers = maps.Clone(o.Answers)
	if o.Answers == nil {
		o.Answers = map[string]string{}
	}
	t, err := listTree(fsys)
	if err != nil {
		return nil, err
	}
	d := newDraft(dir, t, git, o)
	if err := d.goModule(); err != nil {
		return nil, err
	}
	d.makefiles()
	d.variantArch = strings.Contains(d.make.Value("DOCKER_ARCHS"), "armv")
	d.findPublishers()
	d.ko()
	d.promu()
	d.goreleaser()
	d.identity()
	d.findBuilds()
	d.chooseDockerfiles()
	d.makeCompiles()
	d.scriptCompiles()
	d.findPlatforms()
	d.dockerfiles()
	d.goImages()
	if len(d.images) == 0 && !d.without {
		return nil, errors.New("nothing says what to release: the repository has neither a Dockerfile nor a main " +
			"package of Go; write slipway.yaml by hand, or begin with -example=hello")
	}
	d.pushedTags()
	d.manifests()
	d.imageLists()
	d.findNames()
	d.chartRepository()
	d.findTags()
	if sets := d.flagSets(); len(sets) > 0 {
		if claims := d.flagClaims(sets); len(claims) > 0 {
			d.choose(sets, claims[0].value) // until that is decided
		}
	}
	return d, nil
}

// newDraft is a draft of which nothing is read.
func newDraft(dir string, t *tree, git bool, o Options) *Draft {
	return &Draft{
		Dir: dir, options: o, tree: t, git: git,
		outputs: map[string]string{}, koImages: map[string]string{}, koLast: map[string]string{},
		listArgs: map[string]string{}, seen: map[string][]string{},
		docs: map[string][]*yaml.Node{}, broken: map[string]error{},
		same: map[string]string{}, staging: map[string]string{},
		vTags: tagged(o.tags),
	}
}
