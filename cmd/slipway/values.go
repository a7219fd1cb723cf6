package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// size is a flag's value in bytes, such as 4GiB, 700MB or 1000000.
type size int64

// units are tried in this order: B is a suffix of all others.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
	{"", 1},
}

// String formats the size in the largest binary unit that divides it.
func (s *size) String() string {
	for i := 3; i >= 0; i-- {
		if u := units[i]; *s > 0 && int64(*s)%int64(u.bytes) == 0 {
			return strconv.FormatInt(int64(*s)/int64(u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set parses a size.
func (s *size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || math.IsNaN(n) || n*u.bytes < 1 || n*u.bytes >= math.MaxInt64 {
			break
		}
		*s = size(n * u.bytes)
		return nil
	}
	return errors.New("malformed size: write a number and a unit, as in 4GiB or 700MB")
}

// Type returns the name of the value in help.
func (*size) Type() string { return "size" }

// age is a flag's value, a time such as 12h or 7d.
type age time.Duration

// String formats the age.
func (a *age) String() string { return time.Duration(*a).String() }

// Set parses an age.
func (a *age) Set(text string) error {
	d, err := parseTime(text)
	if err == nil && d == 0 {
		err = errors.New("write a time that is longer than nothing, as in 12h or 7d")
	}
	if err == nil {
		*a = age(d)
	}
	return err
}

// Type returns the name of the value in help.
func (*age) Type() string { return "age" }
