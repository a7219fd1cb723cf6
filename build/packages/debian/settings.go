package debian

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Settings are the options of apt that decide which packages are taken. The zero value has apt's
// defaults.
type Settings struct {
	NoRecommends         bool     // APT::Install-Recommends is false
	Suggests             bool     // APT::Install-Suggests
	RecommendsSections   []string // APT::Install-Recommends-Sections
	DefaultRelease       string   // APT::Default-Release
	IgnoreHold           bool     // APT::Ignore-Hold
	AutoRemove           bool     // APT::Get::AutomaticRemove
	Purge                bool     // APT::Get::Purge
	Reinstall            bool     // APT::Get::ReInstall
	NoUpgrade            bool     // APT::Get::Upgrade is false
	OnlyUpgrade          bool     // APT::Get::Only-Upgrade
	NoRemove             bool     // APT::Get::Remove is false
	UpgradeWithNew       bool     // APT::Get::Upgrade-Allow-New
	MarkAuto             bool     // APT::Get::Mark-Auto
	NoSourceUpgrade      bool     // APT::Get::Upgrade-By-Source-Package is false
	AllowDowngrades      bool     // APT::Get::allow-downgrades
	AllowRemoveEssential bool     // APT::Get::allow-remove-essential
	AllowChangeHeld      bool     // APT::Get::allow-change-held-packages
	AllowUnauthenticated bool     // APT::Get::AllowUnauthenticated

	AllowInsecureRepositories bool     // Acquire::AllowInsecureRepositories
	NoValidUntil              bool     // Acquire::Check-Valid-Until is false
	KeepNoRecommends          bool     // APT::AutoRemove::RecommendsImportant is false
	KeepNoSuggests            bool     // APT::AutoRemove::SuggestsImportant is false
	NeverAutoRemove           []string // APT::NeverAutoRemove, regular expressions
	NeverMarkAuto             []string // APT::Never-MarkAuto-Sections
	MoveAuto                  []string // APT::Move-Autobit-Sections
	Architectures             []string // APT::Architectures
	Architecture              string   // APT::Architecture
}

// ParseSettings reads an apt.conf file into the settings. file is its name for messages. A
// setting that may decide which package is taken, and is not known here, is an error.
func (s *Settings) ParseSettings(file, text string) error {
	found, err := parseConf(file, text)
	if err != nil {
		return err
	}
	var all []error
	for _, one := range found {
		if err := s.apply(one); err != nil {
			all = append(all, fmt.Errorf("%s:%d: %w", file, one.line, err))
		}
	}
	return errors.Join(all...)
}

// Set applies an option of a command line, as -o has it: APT::Install-Suggests=true.
func (s *Settings) Set(option string) error {
	key, value, ok := strings.Cut(option, "=")
	if !ok || key == "" {
		return fmt.Errorf("the option %q has no value: write -o Name=value", option)
	}
	key, item := strings.CutSuffix(key, "::")
	if err := s.apply(setting{key: strings.ToLower(key), value: strings.Trim(value, `"'`), item: item}); err != nil {
		return fmt.Errorf("the option %s: %w", option, err)
	}
	return nil
}

// harmless are the settings, and all below them, that do not decide which packages are taken.
var harmless = []string{
	"acquire", "apt-file", "apt::archives", "apt::authentication", "apt::build-profiles", "apt::cache",
	"apt::cache-grow", "apt::cache-limit", "apt::cache-start", "apt::cdrom", "apt::changelog",
	"apt::clean-installed", "apt::cmd", "apt::color", "apt::compressor", "apt::force-loopbreak",
	"apt::ftparchive", "apt::get::assume-no", "apt::get::assume-yes", "apt::get::build-dep-automatic",
	"apt::get::download-only", "apt::get::fix-missing", "apt::get::hideautoremove", "apt::get::list-cleanup",
	"apt::get::print-uris", "apt::get::show-upgraded", "apt::get::show-user-simulation-note",
	"apt::get::show-versions", "apt::get::simulate", "apt::get::trivial-only", "apt::get::update", "apt::hashes",
	"apt::immediate-configure", "apt::keep-downloaded-packages", "apt::list-cleanup", "apt::machine-id",
	"apt::periodic", "apt::sandbox", "apt::status-fd", "apt::update", "apt::versionedkernelpackages", "aptcli",
	"aptitude", "binary", "binary::apt::apt::color", "binary::apt::apt::cmd", "commandline", "debug", "dir",
	"dpkg", "dselect", "orderlist", "packagekit", "quiet", "rpm", "synaptic", "unattended-upgrade",
}

// apply applies one statement.
func (s *Settings) apply(one setting) error {
	key := one.key
	if yes := s.switchOf(key); yes != nil {
		b, err := parseBool(one.value)
		if one.clears {
			b, err = false, nil
		}
		*yes = b
		return err
	}
	if no := s.defaultOf(key); no != nil {
		b, err := parseBool(one.value)
		if one.clears {
			b, err = true, nil
		}
		*no = !b && err == nil
		return err
	}
	if text := s.textOf(key); text != nil {
		*text = one.value
		return nil
	}
	if list := s.listOf(key); list != nil {
		switch {
		case one.clears:
			*list = nil
		case one.value != "":
			*list = append(*list, one.value)
		}
		return s.checkList(key)
	}
	for _, prefix := range harmless {
		if key == prefix || strings.HasPrefix(key, prefix+"::") {
			return nil
		}
	}
	if one.clears || one.value == "" && !one.item {
		return nil
	}
	return fmt.Errorf("%s is not known, and may decide which packages are taken: remove it", key)
}

// switchOf returns the setting that is off by default.
func (s *Settings) switchOf(key string) *bool {
	return map[string]*bool{
		"apt::install-suggests": &s.Suggests, "apt::ignore-hold": &s.IgnoreHold,
		"apt::get::automaticremove": &s.AutoRemove, "apt::get::purge": &s.Purge,
		"apt::get::reinstall": &s.Reinstall, "apt::get::only-upgrade": &s.OnlyUpgrade,
		"apt::get::upgrade-allow-new": &s.UpgradeWithNew, "apt::get::mark-auto": &s.MarkAuto,
		"apt::get::allow-downgrades":             &s.AllowDowngrades,
		"apt::get::allow-remove-essential":       &s.AllowRemoveEssential,
		"apt::get::allow-change-held-packages":   &s.AllowChangeHeld,
		"apt::get::allowunauthenticated":         &s.AllowUnauthenticated,
		"acquire::allowinsecurerepositories":     &s.AllowInsecureRepositories,
		"acquire::allowdowngradetoinsecurerepos": new(bool),
	}[key]
}

// defaultOf returns the negation of a setting that is on by default.
func (s *Settings) defaultOf(key string) *bool {
	return map[string]*bool{
		"apt::install-recommends": &s.NoRecommends, "apt::get::upgrade": &s.NoUpgrade,
		"apt::get::remove": &s.NoRemove, "apt::get::upgrade-by-source-package": &s.NoSourceUpgrade,
		"apt::autoremove::recommendsimportant": &s.KeepNoRecommends,
		"apt::autoremove::suggestsimportant":   &s.KeepNoSuggests,
		"acquire::check-valid-until":           &s.NoValidUntil,
	}[key]
}

func (s *Settings) textOf(key string) *string {
	return map[string]*string{
		"apt::default-release": &s.DefaultRelease, "apt::architecture": &s.Architecture,
	}[key]
}

func (s *Settings) listOf(key string) *[]string {
	return map[string]*[]string{
		"apt::neverautoremove": &s.NeverAutoRemove, "apt::never-markauto-sections": &s.NeverMarkAuto,
		"apt::move-autobit-sections": &s.MoveAuto, "apt::install-recommends-sections": &s.RecommendsSections,
		"apt::architectures": &s.Architectures,
	}[key]
}

// checkList refuses patterns that cannot be compiled.
func (s *Settings) checkList(key string) error {
	if key != "apt::neverautoremove" {
		return nil
	}
	for _, pattern := range s.NeverAutoRemove {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("%q is not a regular expression: %w", pattern, err)
		}
	}
	return nil
}

// parseBool reads a value as apt does.
func parseBool(value string) (bool, error) {
	switch v := strings.ToLower(value); {
	case slices.Contains([]string{"no", "false", "without", "off", "disable", "0"}, v):
		return false, nil
	case slices.Contains([]string{"yes", "true", "with", "on", "enable", "1"}, v):
		return true, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", value)
}
