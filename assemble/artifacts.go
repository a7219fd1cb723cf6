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
func (m *maker) artifacts(ctx context.Context) ([]lock.Artifact, error) {
	type job struct {
		artifact product.Artifact
		on       platform.Platform
	}
	var jobs []job
	for _, a := range m.Product.Artifacts {
		for _, on := range a.Platforms {
			jobs = append(jobs, job{a, on})
		}
	}
	made := make([][]lock.Artifact, len(jobs))
	errs := inParallel(jobs, func(n int, j job) (err error) {
		made[n], err = m.artifact(ctx, j.artifact, j.on)
		return err
	})
	return slices.Concat(made...), errors.Join(errs...)
}

// checkArtifacts checks what archives will consist of.
func (in Input) checkArtifacts() error {
	var errs []error
	for _, a := range in.Product.Artifacts {
		if _, ok := in.Trees[a.Source]; a.Source != "" && !ok {
			continue // that has been reported
		}
		for _, on := range a.Platforms {
			archive := in.artifactInput(a, on)
			for _, name := range in.Product.ProgramsOf(a, on) {
				archive.Programs = append(archive.Programs, artifact.Program{Name: name, File: fileName(name, on.OS)})
			}
			if err := artifact.Check(archive); err != nil {
				errs = append(errs, fmt.Errorf("making artifact %s: %w", a.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// artifactInput is an artifact without its programs.
func (in Input) artifactInput(a product.Artifact, on platform.Platform) artifact.Input {
	out := artifact.Input{Artifact: a, Files: in.Product.Files(a, on), Platform: on, ModTime: in.created()}
	if dir := inTree(in.Trees[a.Source].Dir, a.Files[on.OS]); dir != "" {
		out.Added, out.Except = dir, in.Product.MadeIn(dir)
	}
	return out
}

func (m *maker) artifact(ctx context.Context, a product.Artifact, on platform.Platform) ([]lock.Artifact, error) {
	in := m.artifactInput(a, on)
	for _, name := range m.Product.ProgramsOf(a, on) {
		content, err := m.file(ctx, m.Product.Program(name), on)
		if err != nil {
			return nil, fmt.Errorf("making artifact %s: %w", a.Name, err)
		}
		in.Programs = append(in.Programs, artifact.Program{Name: name, File: fileName(name, on.OS), Content: content})
	}
	files, err := artifact.Make(ctx, m.Store, in)
	if err != nil {
		return nil, err
	}
	var all []lock.Artifact
	for _, f := range files {
		if err := m.noteArtifact(ctx, f); err != nil {
			return nil, fmt.Errorf("making artifact %s: %w", a.Name, err)
		}
		m.noted.took(times.Item{System: on.String(), Path: a.Name, Kind: times.Artifact}, f.Digest, f.Seconds)
		all = append(all,
			lock.Artifact{File: f.Name, Platform: on, Digest: f.Digest, Size: f.Size, Executable: f.Program})
	}
	return all, nil
}
