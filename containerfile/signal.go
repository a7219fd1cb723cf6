package containerfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// signals are the names that STOPSIGNAL takes, without SIG, as github.com/moby/sys/signal knows
// them for Linux on every machine.
var signals = strings.Fields(`ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP
	SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX`)

func checkSignal(s string) error {
	if n, err := strconv.Atoi(s); err == nil {
		if n <= 0 || n > 64 {
			return fmt.Errorf("signal %s is not between 1 and 64", s)
		}
		return nil
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for base, sign := range map[string]string{"RTMIN": "+", "RTMAX": "-"} {
		if rest, ok := strings.CutPrefix(name, base+sign); ok {
			most := 15
			if base == "RTMAX" {
				most = 14
			}
			if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= most {
				return nil
			}
		}
	}
	if !slices.Contains(signals, name) {
		return fmt.Errorf("unknown signal %q: write a name such as SIGTERM, or its number", s)
	}
	return nil
}
