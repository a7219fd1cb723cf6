// Setup brings in the programs that the tests run against: container runtimes, archive tools, wine.
//
// As root on Debian or Ubuntu it installs with apt what is missing; elsewhere it says what is
// missing and how to get it. The names of what is still missing then go to standard output,
// separated by commas: tests look for them in SLIPWAY_WITHOUT and skip what needs them. A name
// that the user put into SLIPWAY_WITHOUT is not installed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	without, err := setUp(ctx, strings.FieldsFunc(os.Getenv("SLIPWAY_WITHOUT"), func(r rune) bool { return r == ',' || r == ' ' }))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(without, ","))
}

// setUp returns the names of the consumers that tests have to do without.
func setUp(ctx context.Context, unwanted []string) (without []string, err error) {
	wanted, err := leave(unwanted)
	if err != nil {
		return nil, err
	}
	if lacking := missing(wanted); len(lacking) > 0 && hasApt() {
		if err := install(ctx, lacking); err != nil {
			return nil, fmt.Errorf("installing %s: %w; to go without, name it in SLIPWAY_WITHOUT", names(lacking), err)
		}
		if lacking = missing(wanted); len(lacking) > 0 {
			return nil, errors.New("apt installed its packages, and yet there is no " + names(lacking))
		}
	}
	for _, c := range missing(consumers) {
		how := "apt-get install " + strings.Join(c.packages, " ") + " (Debian, Ubuntu)" + c.elsewhere
		switch {
		case len(c.packages) == 0:
			how = c.elsewhere
		case c.root:
			how += "; it needs root"
		}
		fmt.Fprintf(os.Stderr, "left out: %s, for %s; to get it: %s\n", c.name, c.purpose, how)
		without = append(without, c.name)
	}
	for _, name := range unwanted {
		if !contains(without, name) {
			without = append(without, name)
		}
	}
	return without, nil
}

// leave takes the unwanted out of the consumers.
func leave(unwanted []string) ([]consumer, error) {
	var wanted, unknown []consumer
	for _, c := range consumers {
		if !contains(unwanted, c.name) {
			wanted = append(wanted, c)
		}
	}
	for _, name := range unwanted {
		if !contains(strings.Split(names(consumers), ", "), name) {
			unknown = append(unknown, consumer{name: name})
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("SLIPWAY_WITHOUT names %s; there are %s", names(unknown), names(consumers))
	}
	return wanted, nil
}
