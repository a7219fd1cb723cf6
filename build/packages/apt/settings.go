package apt

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/debian"
)

// flags are what the options of an operation set.
var flags = map[string]func(*debian.Settings){
	"--no-install-recommends":      func(s *debian.Settings) { s.NoRecommends = true },
	"--install-recommends":         func(s *debian.Settings) { s.NoRecommends = false },
	"--install-suggests":           func(s *debian.Settings) { s.Suggests = true },
	"--no-install-suggests":        func(s *debian.Settings) { s.Suggests = false },
	"--reinstall":                  func(s *debian.Settings) { s.Reinstall = true },
	"--no-upgrade":                 func(s *debian.Settings) { s.NoUpgrade = true },
	"--only-upgrade":               func(s *debian.Settings) { s.OnlyUpgrade = true },
	"--allow-downgrades":           func(s *debian.Settings) { s.AllowDowngrades = true },
	"--allow-change-held-packages": func(s *debian.Settings) { s.AllowChangeHeld = true },
	"--allow-remove-essential":     func(s *debian.Settings) { s.AllowRemoveEssential = true },
	"--allow-unauthenticated":      func(s *debian.Settings) { s.AllowUnauthenticated = true },
	"--auto-remove":                func(s *debian.Settings) { s.AutoRemove = true },
	"--purge":                      func(s *debian.Settings) { s.Purge = true },
	"--with-new-pkgs":              func(s *debian.Settings) { s.UpgradeWithNew = true },
	"--without-new-pkgs":           func(s *debian.Settings) { s.UpgradeWithNew = false },
	"--no-remove":                  func(s *debian.Settings) { s.NoRemove = true },
	"--force-yes": func(s *debian.Settings) {
		s.AllowDowngrades, s.AllowChangeHeld, s.AllowRemoveEssential = true, true, true
	},
}

// settings reads apt's configuration in the stage, and the options of the command.
func settings(t *tree.Tree, o operation) (debian.Settings, error) {
	var s debian.Settings
	for _, name := range parts(t, "/etc/apt/apt.conf.d", "conf", "/etc/apt/apt.conf") {
		text, err := tree.ReadText(t, name)
		if err != nil {
			return s, err
		}
		if err := s.ParseSettings(name, string(text)); err != nil {
			return s, err
		}
	}
	for _, option := range o.settings {
		if err := s.Set(option.key + "=" + option.value); err != nil {
			return s, fmt.Errorf("-o %s: %w", option.key, err)
		}
	}
	for _, option := range o.set {
		if set, ok := flags[option]; ok {
			set(&s)
		}
	}
	if v := o.value("--target-release"); v != "" {
		s.DefaultRelease = v
	}
	return s, nil
}

// preferences reads the pins of the stage.
func preferences(t *tree.Tree) (all []debian.Pin, err error) {
	for _, name := range parts(t, "/etc/apt/preferences.d", "pref", "/etc/apt/preferences") {
		text, err := tree.ReadText(t, name)
		if err != nil {
			return nil, err
		}
		pins, err := debian.ParsePreferences(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, pins...)
	}
	return all, nil
}

// parts returns the files of a directory that apt reads, in its order: those without an extension
// and those with that of their kind, and then a file beside the directory.
func parts(t *tree.Tree, dir, extension string, last string) (all []string) {
	at, n, err := tree.Resolve(t, dir)
	if err == nil && n != nil && n.Kind == layer.Dir {
		names, err := t.ReadDir(at)
		if err != nil {
			return nil
		}
		for _, name := range names {
			ext := path.Ext(name)
			plain := !strings.HasPrefix(name, ".") && strings.Trim(name, partLetters) == ""
			_, n, err := tree.Resolve(t, path.Join(at, name))
			if plain && (ext == "" || ext == "."+extension) && err == nil && n != nil && n.Kind == layer.Regular {
				all = append(all, path.Join(at, name))
			}
		}
	}
	slices.Sort(all)
	if _, n, err := tree.Resolve(t, last); err == nil && n != nil && n.Kind == layer.Regular {
		all = append(all, last)
	}
	return all
}

// partLetters are the characters that the names of such files may have.
const partLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:"
