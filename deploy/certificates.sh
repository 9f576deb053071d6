#!/bin/sh
# Makes what Dask's processes know each other by, in a folder: an authority of its own and one certificate for scheduler,
# workers and runners. What is there and good for another month stays. The authority's key is thrown away: to add a
# certificate, remove lab.pem and make all of them anew.
#
#     sh deploy/certificates.sh FOLDER
set -eu
umask 077
folder=$1
mkdir -p "$folder"
cd "$folder"
if openssl x509 -checkend 2592000 -noout -in lab.pem >/dev/null 2>&1; then exit 0; fi
openssl req -x509 -newkey rsa:3072 -nodes -days 825 -subj /CN=lab-authority -keyout ca.key -out ca.pem
openssl req -newkey rsa:3072 -nodes -subj /CN=lab -keyout lab.key -out lab.csr
openssl x509 -req -in lab.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -out lab.new
rm -f ca.key ca.srl lab.csr
mv lab.new lab.pem
