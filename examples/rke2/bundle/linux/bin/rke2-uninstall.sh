#!/bin/sh
set -e
systemctl disable --now rke2-agent.service
rm -f /usr/local/bin/rke2 /usr/local/lib/systemd/system/rke2-agent.service
