package assemble

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/lock"
)

// prove compares the files that programs were compiled from with the commits of their sources, once
// all are compiled, and takes back the proof of a source whose commit lacks one: git ignores it, a
// filter changes it, or it is in another repository.
func (b *Baseline) prove(ctx context.Context, compiled []program.Read, materials []lock.Material) error {
	for _, r := range compiled {
		name := r.Program.Tree.Source.Name
		commit, ok := b.commits[name]
		at := slices.IndexFunc(materials, func(m lock.Material) bool { return m.Name == name })
		if !ok || at < 0 || !materials[at].Proven {
			continue
		}
		if r.Unknown {
			materials[at].Proven = false
			b.in.Progress.Printf("warning: source %s: the flags of program %s may name any file: "+
				"the statement does not call the source proven", name, r.Program.Name)
			continue
		}
		lacking, err := b.lacking(ctx, r, commit)
		if err != nil {
			return fmt.Errorf("comparing source %s with commit %s: %w", name, commit.Hash, err)
		}
		if lacking == "" {
			continue
		}
		why := fmt.Sprintf("source %s: %s is compiled into program %s, and commit %s has it otherwise or not at all",
			name, lacking, r.Program.Name, commit.Hash)
		if b.elsewhere(name, lacking) && !b.in.Product.Snapshot() { // images name the commit
			return fmt.Errorf("%s: commit it, or name a directory that it is in as the source", why)
		}
		materials[at].Proven = false
		b.in.Progress.Printf("warning: %s: the statement does not call the source proven", why)
	}
	return nil
}

// ProveTrees compares all files of the directory sources with their commits, for machines that
// get the files without the commits, and takes back the proof of a source whose commit lacks one.
func (b *Baseline) ProveTrees(ctx context.Context, materials []lock.Material) error {
	for n := range materials {
		m := &materials[n]
		commit, ok := b.commits[m.Name]
		if !ok || !m.Proven {
			continue
		}
		s := b.in.Product.Source(m.Name)
		for _, dir := range append(s.Beyond(), s.Directory) {
			names, err := git.Files(ctx, dir, b.in.Product.MadeIn(dir)...)
			if err != nil {
				return fmt.Errorf("comparing source %s with commit %s: %w", m.Name, commit.Hash, err)
			}
			for _, name := range names {
				has, err := commit.Has(filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil {
					return fmt.Errorf("comparing source %s with commit %s: %w", m.Name, commit.Hash, err)
				}
				m.Proven = m.Proven && has
			}
		}
	}
	return nil
}

// lacking returns a file that a program was compiled from and the commit lacks; "" for none.
func (b *Baseline) lacking(ctx context.Context, r program.Read, commit source.Commit) (lacking string, err error) {
	look := func(path string) error {
		if lacking != "" || ctx.Err() != nil {
			return ctx.Err()
		}
		ok, err := commit.Has(path)
		if !ok {
			lacking = path
		}
		return err
	}
	for _, path := range r.Files {
		if err := look(path); err != nil {
			return "", err
		}
	}
	if !r.Tree {
		return lacking, nil
	}
	for _, dir := range append(r.Program.Tree.Source.Beyond(), r.Program.Tree.Source.Directory) {
		err := tree.Walk(dir, b.in.Product.MadeIn(dir), []string{os.DevNull}, func(p string, fi fs.FileInfo) error {
			if fi.IsDir() {
				return nil
			}
			return look(filepath.Join(dir, filepath.FromSlash(p)))
		})
		if err != nil {
			return "", err
		}
	}
	return lacking, nil
}

// elsewhere reports whether a file is in none of the directories of a source, which git was asked
// about for its revision.
func (b *Baseline) elsewhere(name, path string) bool {
	s := b.in.Product.Source(name)
	return !slices.ContainsFunc(append(s.Beyond(), s.Directory), func(dir string) bool {
		return disk.Within(dir, path)
	})
}
