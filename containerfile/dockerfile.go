// Package containerfile evaluates a Dockerfile for one platform, without a daemon and without
// running anything. A RUN is carried out where its commands only change files.
//
// The file is read by BuildKit's own parser (github.com/moby/buildkit/frontend/dockerfile), and
// its meaning is that of BuildKit's reference
// (https://docs.docker.com/reference/dockerfile/): stages, variables, the rules of COPY about
// slashes, wildcards, symbolic links and .dockerignore. The result is not an image yet but its
// parts: the base, the configuration, and the entries of each layer, which package layer writes.
//
// # Refused
//
// RUN with any command but those of the table in package run, because it needs a machine of the
// image's system: an image for Windows would need Windows. What a command would make comes from
// programs that slipway.yaml declares, from another image or from an archive instead. Nor may a
// RUN depend on a file or an output that is not known, or need a user other than root, or a secret.
//
// # Programs
//
// A stage that the image only copies from may have go build: see toolchain.go. Its programs are
// compiled by [Input.Compiler], and its base is not asked for.
//
// Git sources, URLs of plain HTTP, and URLs without --checksum, because the same file would give
// other bytes tomorrow.
//
// Devices, pipes and sparse files, because a layer entry cannot express them.
//
// Only the stages that the target needs are evaluated; errors in the others are not found.
//
// # Where the result differs from BuildKit's
//
// The tests in test/buildkit compare this package with a real buildkitd. The differences that
// they allow:
//
//   - All times are Input.ModTime. Of extended attributes only capabilities stay.
//   - A COPY or ADD all of whose sources match nothing is an error, as it was with docker's
//     classic builder; BuildKit goes on without the files, and the image fails on a node. If one
//     source matches, others need not.
//   - A RUN needs no shell and no tools in the image, and a command that fails is an error also
//     where BuildKit's shell goes on, after ";".
//   - Files of contexts have the modes that Input.Mode gives them: of git, if they are tracked.
//   - .git is never part of a context, wherever in it: it changes without any change of a file.
//     Nor are what Input.Except names and the output directories and stores of Slipway.
//   - An instruction that changes no file makes no layer; BuildKit adds an empty one.
//   - "# syntax=" and "# check=" are comments: there is one frontend, this one, and it is not
//     fetched.
//   - Layers for Windows always have the layout that Windows reads. BuildKit on Linux gives an
//     image from scratch the layout of Linux.
//   - Sources for Windows may have backslashes everywhere; BuildKit on Linux does not find such a
//     source in a named context.
//   - In a Windows stage case does not count, neither in paths nor in names of variables, and
//     names that Windows cannot have, or takes for one, are errors. BuildKit on Linux makes two
//     files of C:\Windows\a and c:\windows\A.
//   - In a Windows stage a list of CMD or ENTRYPOINT that is not JSON, such as
//     ["C:\app\run.exe"], is an error; BuildKit lets cmd run it as it is, which never works.
//   - A user or group name that the stage's /etc/passwd or /etc/group does not know is an error;
//     BuildKit takes root.
//   - EXPOSE with an address or port of the host is an error; BuildKit drops that part with a
//     warning.
//   - ADD --unpack takes zip archives, too, the usual archives of Windows;
//     BuildKit copies those.
//   - HEALTHCHECK --start-interval is refused: the configuration of go-containerregistry has no
//     place for it.
package containerfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// Input is a Dockerfile and how to evaluate it. Platform and Store are mandatory, and File or
// Source.
type Input struct {
	// File is the Dockerfile's path: read where Source is nil, and named in messages.
	// FILE.dockerignore next to it goes before the .dockerignore of the context.
	File   string
	Source []byte
	Shown  string // what messages call it; File if empty
	// Context is the absolute directory that COPY and ADD read from. Nothing outside it is read,
	// symbolic links included. Empty means none.
	Context string
	// Except are the paths below Context that are not part of it, relative and with slashes. Every
	// .git is excluded, too.
	Except []string
	// Contexts are further places to copy from, by the name that FROM and --from use.
	Contexts map[string]Context
	// Outputs are files that something else makes, by path: of a stage, or of the build context
	// where the name is empty. A stage of which nothing else is wanted is not evaluated.
	Outputs map[string]map[string]tree.File
	// Mode returns the mode that a file or directory of a context has in the image: path is
	// absolute, and fi is from the disk. nil keeps the mode of the disk.
	Mode func(ctx context.Context, path string, fi fs.FileInfo) (fs.FileMode, error)
	// Args are the values of build arguments; they go before the defaults in the file.
	Args map[string]string
	// Target is the name or number of the stage to build; empty is the last.
	Target string
	// Platform is what the image is for. BuildPlatform is the value of BUILDPLATFORM; the zero
	// value is linux/amd64, whatever machine this is.
	Platform, BuildPlatform platform.Platform
	// ModTime is the time in the history.
	ModTime time.Time
	// Base resolves the names of images in FROM and --from; nil means that only scratch, stages
	// and contexts can be used.
	Base func(ctx context.Context, name string, p platform.Platform) (base.Base, error)
	// Snapshot means for [Check] that the images of registries stay stubs, so that a RUN that takes
	// files of one is an error.
	Snapshot bool
	// Limits bound what the Dockerfile may make.
	Limits tree.Limits
	// Compiler makes the programs of go build; the zero value refuses them.
	Compiler run.Compiler
	// Client downloads what ADD names by URL; nil is one with the default options. Downloads are
	// kept in Store under their digest.
	Client *network.Client
	Store  *store.Store
}

// Context is a named context: a directory, or single files.
type Context struct {
	Dir    string               // absolute; empty where Files count
	Except []string             // as in Input
	Files  map[string]tree.File // by slash-separated path: "linux_amd64/build-init"
}

type (
	// File is a file that a context shows under a name of its choice.
	File = tree.File
	// Limits bound what the instructions of a Dockerfile write.
	Limits = tree.Limits
	// GoBuild is a go build of a Dockerfile for one main package.
	GoBuild = run.GoBuild
	// Compiler makes the programs of a Dockerfile.
	Compiler = run.Compiler
)

// Build evaluates a Dockerfile. The error joins everything wrong that was found, each with
// file:line:column; a result with an error has only Demands and References.
func Build(ctx context.Context, in Input) (Result, error) {
	r, err := evaluate(ctx, in, false)
	return r.Result, err
}

// Check evaluates a Dockerfile as far as it can without the bytes of files and without a download:
// the entries of layers lack their content, and Check assumes that an image that is not at hand, or
// a URL, provides what the file takes of it. The caller closes the result.
func Check(ctx context.Context, in Input) (Checked, error) { return evaluate(ctx, in, true) }

func evaluate(ctx context.Context, in Input, check bool) (Checked, error) {
	if in.Store == nil {
		return Checked{}, errors.New("building from a Dockerfile: no store given")
	}
	if in.Client == nil {
		in.Client = network.New(network.Options{})
	}
	b, err := read(in)
	if err != nil {
		return Checked{}, err
	}
	b.check, b.archives = check, tree.NewArchives(in.Store, in.Limits)
	r, err := b.evaluate(ctx)
	if err != nil || !b.complete() {
		b.close()
		return Checked{Result: r}, err
	}
	return Checked{r, b}, nil
}

func read(in Input) (*builder, error) {
	in.Shown = cmp.Or(in.Shown, in.File, "Dockerfile")
	if in.Source == nil {
		b, err := regular.Read(in.File)
		if err != nil {
			return nil, fmt.Errorf("reading Dockerfile %s: %w", in.Shown, err)
		}
		in.Source = b
	}
	in.File = cmp.Or(in.File, "Dockerfile")
	if len(in.Source) > tree.MaxSource {
		return nil, fmt.Errorf("%s has more than %d bytes", in.Shown, tree.MaxSource)
	}
	if in.BuildPlatform.OS == "" {
		in.BuildPlatform = platform.Platform{OS: "linux", Architecture: "amd64"}
	}
	list := func() *mistake.List { return &mistake.List{File: in.Shown, Source: in.Source} }
	return &builder{in: in, report: list(), demands: list(), copiesAll: list(), notes: list()}, nil
}

// evaluate evaluates the target and what it needs.
func (b *builder) evaluate(ctx context.Context) (Result, error) {
	b.parse()
	s := b.target()
	if s == nil {
		return Result{}, b.report.Err()
	}
	for part := s; part != nil; part = part.from {
		b.shipped = append(b.shipped, part)
	}
	b.findToolchains(s)
	b.eval(ctx, s)
	if err := errors.Join(ctx.Err(), b.report.Err()); err != nil {
		if limit := (*tree.LimitError)(nil); ctx.Err() != nil || errors.As(err, &limit) {
			b.archives.Drop()
		}
		return Result{Demands: b.demands.Sorted(), References: b.references}, err
	}
	r := s.result()
	r.start = start{
		b.report.File, b.in.Source, s.startAt, s.userAt, s.starts,
		entrypoint.Image{Tree: s.Tree, Config: s.Config, On: s.System, Check: b.check},
		mistake.Lines(b.copiesAll), mistake.Lines(b.notes),
	}
	if len(r.start.at) == 0 {
		r.start.at = s.Location
	}
	if len(r.start.user) == 0 {
		r.start.user = s.Location
	}
	r.Builds = b.builds
	r.Others, r.Demands, r.References = b.others(r.Base), b.demands.Sorted(), b.references
	return r, nil
}
