package main

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/howto"
)

// flagError reports a flag that cannot be parsed. Because a group has no flags of its
// own, a word before the flag must be a misspelled subcommand.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() {
		return unknownCommand(cmd, words[0])
	}
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		name, cause := wrong.GetFlag().Name, wrong.Unwrap()
		if errors.Is(cause, errEmpty) {
			return misuse(cmd, "-%s %w", name, cause)
		}
		return misuse(cmd, "-%s=%.200s: %w", name, wrong.GetValue(), cause)
	}
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		if near := nearFlag(cmd, name); near != "" {
			return howto.Usage("unknown flag -%s of %s: is -%s meant?", name, cmd.CommandPath(), near)
		}
		return misuse(cmd, "unknown flag -%s", name)
	}
	return misuse(cmd, "%w", err)
}

// nearFlag returns the flag of a command that a name most resembles, or "".
func nearFlag(cmd *cobra.Command, name string) (near string) {
	least := len(name)/3 + 1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := levenshtein.Distance(name, f.Name, nil); d < least {
			near, least = f.Name, d
		}
	})
	return near
}

// valueForms has the remedies for values of the types whose parsers report the code that failed.
var valueForms = map[string]error{
	"bool":  errors.New("write true or false"),
	"int":   errors.New("write a whole number"),
	"int64": errors.New("write a whole number"),
}

// setValue sets the value of a flag.
func setValue(v pflag.Value, text string) error {
	if v.Type() == "duration" {
		d, err := parseTime(text)
		if err != nil {
			return err
		}
		text = d.String()
	}
	if err := v.Set(text); err != nil {
		return cmp.Or(valueForms[v.Type()], err)
	}
	return nil
}

// maxDays bounds a time; more than 292 years do not fit into a time.Duration.
const maxDays = 100 * 365

// parseTime reads a time: as the time package does, or in days.
func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(max(-1, min(n, maxDays+1))) * 24 * time.Hour
	}
	if err != nil || d < 0 || d > maxDays*24*time.Hour {
		return 0, errors.New("malformed time: write a number and a unit, as in 90s, 30m, 12h or 7d")
	}
	return d, nil
}
