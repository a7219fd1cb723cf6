package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
)

// cut is cut -cFROM-TO and cut -dX -fN.
func cut(r *runner, words []string, in func() (string, error)) (string, error) {
	t := tool{options: "c:d:f:", most: many}
	o, names, err := t.parse(words)
	if err != nil {
		return "", err
	}
	text, err := ended(r.lines(names, in))
	if err != nil {
		return "", err
	}
	switch {
	case o.has("c") && !o.has("df"):
		from, to, dash := strings.Cut(o['c'], "-")
		first, err := strconv.ParseUint(from, 10, 16)
		if from == "" {
			first, err = 1, nil
		}
		last := uint64(1 << 20)
		if !dash {
			last = first
		} else if to != "" && err == nil {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || first == 0 || last < first || from+to == "" {
			return "", fmt.Errorf("cut -c %s is not known here: write -cFROM-TO", o['c'])
		}
		return eachLine(text, func(line string) (string, bool) {
			return line[min(int(first)-1, len(line)):min(int(last), len(line))], true
		})
	case o.has("f") && !o.has("c") && (!o.has("d") || len(o['d']) == 1):
		n, err := strconv.ParseUint(o['f'], 10, 16)
		if err != nil || n == 0 {
			return "", fmt.Errorf("cut -f %s is not known here: write one number", o['f'])
		}
		by := "\t"
		if o.has("d") {
			by = o['d']
		}
		return eachLine(text, func(line string) (string, bool) {
			fields := strings.Split(line, by)
			switch {
			case len(fields) == 1:
				return line, true
			case int(n) > len(fields):
				return "", true
			}
			return fields[n-1], true
		})
	}
	return "", errors.New("cut is known here with -c, or -d and -f, only")
}

// head is head -n N.
func head(r *runner, words []string, in func() (string, error)) (string, error) {
	if len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "0123456789") == "" {
		words = append([]string{"-n", words[0][1:]}, words[1:]...)
	}
	t := tool{options: "n:", most: 1}
	o, names, err := t.parse(words)
	if err != nil {
		return "", err
	}
	left := uint64(10)
	if o.has("n") {
		if left, err = strconv.ParseUint(o['n'], 10, 16); err != nil {
			return "", fmt.Errorf("head -n %s is not a number", o['n'])
		}
	}
	text, err := r.lines(names, in)
	if err != nil {
		return "", err
	}
	return eachLine(text, func(line string) (string, bool) {
		if left == 0 {
			return "", false
		}
		left--
		return line, true
	})
}

// field is awk '{print $N}'.
func field(r *runner, words []string, in func() (string, error)) (string, error) {
	if len(words) == 0 {
		return "", errors.New("awk has no program")
	}
	program := strings.Join(strings.Fields(strings.NewReplacer("{", " { ", "}", " } ", ";", " ").Replace(words[0])), " ")
	number, ok := strings.CutPrefix(program, "{ print $")
	number, closed := strings.CutSuffix(number, " }")
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || !closed || err != nil || n == 0 {
		return "", mistake.At(words[0], "awk is known here as awk '{print $N}' only")
	}
	text, err := ended(r.lines(words[1:], in))
	if err != nil {
		return "", err
	}
	return eachLine(text, func(line string) (string, bool) {
		if fields := strings.Fields(line); len(fields) >= int(n) {
			return fields[n-1], true
		}
		return "", true
	})
}
