package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/assemble/artifact"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// artifacts makes the files for download, in the order of slipway.yaml.
func (b *Builder) artifacts(ctx context.Context) ([]lock.Artifact, error) {
	type job struct {
		artifact product.Artifact
		on       platform.Platform
	}
	var jobs []job
	for _, a := range b.product.Artifacts {
		for _, on := range a.Platforms {
			jobs = append(jobs, job{a, on})
		}
	}
	made := make([][]lock.Artifact, len(jobs))
	errs := inParallel(jobs, func(n int, j job) (err error) {
		made[n], err = b.artifact(ctx, j.artifact, j.on)
		return err
	})
	return slices.Concat(made...), errors.Join(errs...)
}

// checkArtifacts checks what archives will consist of.
func (b *Builder) checkArtifacts() error {
	var errs []error
	for _, a := range b.product.Artifacts {
		if _, ok := b.trees[a.Source]; a.Source != "" && !ok {
			continue // that has been reported
		}
		for _, on := range a.Platforms {
			in := b.artifactInput(a, on)
			for _, name := range b.product.ProgramsOf(a, on) {
				in.Programs = append(in.Programs, artifact.Program{Name: name, File: fileName(name, on.OS)})
			}
			if err := artifact.Check(in); err != nil {
				errs = append(errs, fmt.Errorf("making artifact %s: %w", a.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// artifactInput is an artifact without its programs.
func (b *Builder) artifactInput(a product.Artifact, on platform.Platform) artifact.Input {
	in := artifact.Input{Artifact: a, Files: b.product.Files(a, on), Platform: on, ModTime: b.created}
	if dir := inTree(b.trees[a.Source].Dir, a.Files[on.OS]); dir != "" {
		in.Added, in.Except = dir, b.product.MadeIn(dir)
	}
	return in
}

func (b *Builder) artifact(ctx context.Context, a product.Artifact, on platform.Platform) ([]lock.Artifact, error) {
	in := b.artifactInput(a, on)
	for _, name := range b.product.ProgramsOf(a, on) {
		content, err := b.file(ctx, b.product.Program(name), on)
		if err != nil {
			return nil, fmt.Errorf("making artifact %s: %w", a.Name, err)
		}
		in.Programs = append(in.Programs, artifact.Program{Name: name, File: fileName(name, on.OS), Content: content})
	}
	files, err := artifact.Make(ctx, b.store, in)
	if err != nil {
		return nil, err
	}
	var all []lock.Artifact
	for _, f := range files {
		if err := b.noteArtifact(ctx, f); err != nil {
			return nil, fmt.Errorf("making artifact %s: %w", a.Name, err)
		}
		b.noted.took(times.Item{System: on.String(), Path: a.Name, Kind: times.Artifact}, f.Digest, f.Seconds)
		all = append(all,
			lock.Artifact{File: f.Name, Platform: on, Digest: f.Digest, Size: f.Size, Executable: f.Program})
	}
	return all, nil
}
